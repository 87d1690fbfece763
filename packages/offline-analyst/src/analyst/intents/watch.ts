import type { Findings } from "../Findings.ts"
import { ask, type Desk, type Intent, type Planned } from "../intent.ts"
import { isProposed } from "../proposing.ts"
import { coinOf, type Reading, unnamed } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { storedWords } from "../stored.ts"
import { text } from "../writing/text.ts"
import { levelsAround } from "./nearest.ts"
import { questions } from "./questions.ts"
import { asksByTimes, repeatedInRangeIn, type Scheduled, scheduledOf } from "./scheduled.ts"
import { type Condition, conditionOf, figureIn, listedLevelOf, scores, type Spec, under } from "./watchCondition.ts"
import {
  type Change,
  changeSpec,
  priceNow,
  priceOf,
  type Relative,
  relativeBase,
  relativeSpec,
  type Touch,
  touchSpec
} from "./watchSpecs.ts"

const asks = rule(
  "wake me(?: up)?|alert(?: me)?|notify(?: me)?|let me know|tell me (?:when|if)|warn me|ping (?:me|if|when)|set (?:a |an )?(?:watch|alert)|watch (?:for|if|when)|remind me|(?:create|make) (?:a |an )?(?:watch|task|alert|schedule)|(?<!(?:unlock|vesting|release|emission) )schedule",
  "(?<!(?:이유|원인|방법|의미|뜻)(?:를|을|도|좀|\\s)*)알려\\s?(?:줘|주세요|주라|달라)|(?:내일|모레|매일|마다).*보내\\s?(?:줘|주세요)|알림\\s?(?:설정|만들|걸어|등록|해)|알림(?!\\s?목록)|알람|감시|되면\\s?(?:알려|말해)",
  "разбуди|маякни|пингани|звякни|свистни|сообщи|уведоми|оповести|предупреди|алерт|напомн|напомин|дай знать|следи|поставь (?:оповещ|уведом|алерт)|создай (?:задач|оповещ|уведом|алерт|наблюд)"
)
/** Matches conditions and alert words, because "알려 주세요" alone is a request for an answer now. */
const condition = rule(
  "alert|notify|let me know|when|if|warn|ping|watch|remind|every|schedule|task",
  "(?:내일|모레).*보내|(?:면|때)\\s|으면|하면|되면|알림|알람|감시|(?<!매)매일(?!지)|매시간|마다|오르면|내리면|넘으면|돌파하면",
  "когда|если|как только|алерт|оповещ|уведом|напомни|следи|кажд|ежедневно|задач"
)

const said = {
  made: text(
    "Done: I created the watch “{title}”. It fires once, and tells you here and by the bell.",
    "완료: ‘{title}’ 감시를 만들었습니다. 한 번 울리며 이 대화와 알림으로 알려 드립니다.",
    "Готово: создано наблюдение «{title}». Сработает один раз и сообщит здесь и в уведомлениях."
  ),
  scheduled: text(
    "Done: I scheduled “{title}”.",
    "완료: ‘{title}’ 예약을 만들었습니다.",
    "Готово: создано расписание «{title}»."
  ),
  zone: text(
    "I have created nothing: I do not know which offset from UTC “{words}” stands for. Say it as an offset, as in “every day at 09:00 UTC-5”.",
    "만든 것은 없습니다. “{words}”이(가) UTC와 몇 시간 차이인지 알 수 없습니다. “매일 09:00 UTC-5”처럼 알려 주세요.",
    "Я ничего не создал: не знаю, какое смещение от UTC означает «{words}». Укажите смещение: «каждый день в 09:00 UTC-5»."
  ),
  days: text(
    "I have created nothing: a schedule cannot be limited to “{words}”. It runs at one time of every day, or every so many minutes or hours, as in “every day at 09:00 check {coin}”.",
    "만든 것은 없습니다. 예약을 “{words}”에만 실행할 수는 없습니다. 매일 한 시각이나 몇 분·몇 시간 간격으로만 실행됩니다. 예: “매일 09:00에 {coin} 확인해줘”.",
    "Я ничего не создал: расписание нельзя ограничить словами «{words}». Оно срабатывает каждый день в одно время или через равное число минут или часов: «каждый день в 09:00 проверяй {coin}»."
  ),
  times: text(
    "I have created nothing: a schedule has one time of day, and I cannot read one from “{words}”. Write the time in digits, as in “every day at 09:00 check {coin}”.",
    "만든 것은 없습니다. 예약에는 한 시각만 정할 수 있는데 “{words}”을(를) 한 시각으로 읽지 못했습니다. “매일 09:00에 {coin} 확인해줘”처럼 숫자로 적어 주세요.",
    "Я ничего не создал: расписание срабатывает в одно время суток, а из слов «{words}» его не определить. Напишите время цифрами: «каждый день в 09:00 проверяй {coin}»."
  ),
  interval: text(
    "I have created nothing: a schedule runs at least 5 minutes and at most 30 days apart, as in “every 30 minutes check {coin}”.",
    "만든 것은 없습니다. 예약 간격은 5분 이상 30일 이하여야 합니다. 예: “30분마다 {coin} 확인해줘”.",
    "Я ничего не создал: интервал расписания от 5 минут до 30 дней. Например: «каждые 30 минут проверяй {coin}»."
  ),
  unasked: text(
    "I have created nothing: say what I should do at that time, as in “every day at 09:00 check {coin}”.",
    "만든 것은 없습니다. 그 시각에 무엇을 할지 알려 주세요. 예: “매일 09:00에 {coin} 확인해줘”.",
    "Я ничего не создал: скажите, что делать в это время. Например: «каждый день в 09:00 проверяй {coin}»."
  ),
  stored: text("Stored: {what}.", "저장한 내용: {what}.", "Сохранено: {what}."),
  proposal: text(
    "I would watch `{coin} price {op} {value}`: the nearest level to where it trades.",
    "가장 가까운 레벨은 `{coin} price {op} {value}`이며, 이 조건으로 감시할 수 있습니다.",
    "Я следил бы за `{coin} price {op} {value}`: это ближайший уровень."
  ),
  vague: text(
    "A watch needs a number that code can check: for instance “alert me when {coin} is above 100000”, or “when its score falls below 0”.",
    "감시에는 코드가 판정할 숫자가 필요합니다. 예: “{coin} 100000 넘으면 알려줘”, “점수가 0 아래로 내려가면 알려줘”.",
    "Для наблюдения нужно число, которое проверит код: например, «сообщи, когда {coin} выше 100000» или «когда балл упадет ниже 0»."
  ),
  unwatched: text(
    "I cannot watch that: a watch waits for a price, a score, a cross of the VWAP or a sudden move, and for nothing else. I have created nothing; a schedule can ask me about it, as in “every 60 minutes check the {figure} of {coin}”.",
    "그 조건은 감시할 수 없습니다. 감시는 가격, 점수, VWAP 교차, 급변만 기다립니다. 만든 것은 없습니다. 대신 “60분마다 {coin} {figure} 확인해줘”처럼 예약할 수 있습니다.",
    "За этим следить не могу: наблюдение ждёт цены, балла, пересечения VWAP или резкого движения, и больше ничего. Я ничего не создал; можно задать расписание: «каждые 60 минут проверяй {figure} {coin}»."
  ),
  funding: text("funding", "펀딩비", "фандинг"),
  several: text(
    "These are conditions of their own: I would make a watch for each, and none waits for the other.",
    "조건이 여럿이라 각각 따로 감시합니다. 서로를 기다리지는 않습니다.",
    "Это отдельные условия: я создал бы наблюдение на каждое, и одно не ждёт другого."
  ),
  together: text(
    "A watch waits for one condition of one instrument. Tell me each by itself, as in “alert me when {coin} is above 100000”.",
    "감시 하나는 한 종목의 한 조건만 기다립니다. “{coin} 100000 넘으면 알려줘”처럼 하나씩 말씀해 주세요.",
    "Наблюдение ждёт одного условия по одному инструменту. Назовите их по одному: «сообщи, когда {coin} выше 100000»."
  ),
  timed: text(
    "I cannot count down or wait for a date; only a move has a time, and it is an hour. I have created nothing. I can run at a time of day, as in “every day at 09:00 check {coin}”.",
    "일정 시간 뒤나 날짜를 기다릴 수는 없고, 기간이 있는 조건은 한 시간 안의 급변뿐입니다. 만든 것은 없습니다. “매일 09:00에 {coin} 확인해줘”처럼 시각은 정할 수 있습니다.",
    "Отсчитывать время или ждать даты я не могу; срок есть только у резкого движения, и это час. Я ничего не создал. Могу по времени суток: «каждый день в 09:00 проверяй {coin}»."
  ),
  currency: text(
    "I have created nothing: a watch on {name} compares its price in {unit}, and “{amount}” is another currency.",
    "만든 것은 없습니다. {name} 감시는 {unit} 가격을 비교하는데 “{amount}”은(는) 다른 통화입니다.",
    "Я ничего не создал: наблюдение за {name} сравнивает цену в {unit}, а «{amount}» в другой валюте."
  ),
  dollars: text("dollars", "달러", "долларах"),
  wons: text("won", "원", "вонах"),
  wonInDollars: text(
    "{won} is about {usd} at {rate} won per dollar. I can watch “{level}”.",
    "{won}은 환율 {rate}원 기준 약 {usd}입니다. “{level}”로는 감시할 수 있습니다.",
    "{won} это около {usd} по курсу {rate} вон за доллар. Могу следить так: «{level}»."
  ),
  levelAbove: text(
    "alert me when {name} is above {value}",
    "{name} {value}달러 위로 가면 알려줘",
    "сообщи, когда {name} выше {value}"
  ),
  levelBelow: text(
    "alert me when {name} is below {value}",
    "{name} {value}달러 아래로 가면 알려줘",
    "сообщи, когда {name} ниже {value}"
  ),
  touch: text(
    "{coin} trades at {price}, so the watch waits for a price {side} {value}.",
    "{coin} 현재가는 {price}이므로 {value} {side} 가격을 기다립니다.",
    "{coin} сейчас по {price}, поэтому наблюдение ждёт цены {side} {value}."
  ),
  sideAbove: text("above", "위의", "выше"),
  sideBelow: text("below", "아래의", "ниже"),
  once: text(
    "I can run it once, at the next {at} (UTC{zone}): today, where that time is still ahead.",
    "다음 {at}(UTC{zone})에 한 번 실행할 수 있습니다. 그 시각이 아직 지나지 않았다면 오늘입니다.",
    "Могу выполнить один раз, в ближайшие {at} (UTC{zone}): сегодня, если это время ещё впереди."
  ),
  below: text(
    "{percent} below {price} is {level}: I would watch for a price under it.",
    "{price}보다 {percent} 낮은 가격은 {level}이며, 그 아래로 내려가는지 감시할 수 있습니다.",
    "На {percent} ниже {price} это {level}: я следил бы за ценой под этим уровнем."
  ),
  above: text(
    "{percent} above {price} is {level}: I would watch for a price over it.",
    "{price}보다 {percent} 높은 가격은 {level}이며, 그 위로 올라가는지 감시할 수 있습니다.",
    "На {percent} выше {price} это {level}: я следил бы за ценой над этим уровнем."
  ),
  eitherWay: text(
    "A watch on a move looks at the last 60 minutes and fires whichever way it goes.",
    "급변 감시는 최근 60분을 보며 오르든 내리든 울립니다.",
    "Наблюдение за движением смотрит на последние 60 минут и срабатывает в любую сторону."
  ),
  oneWay: text(
    "A watch on a move within an hour fires whichever way the price goes, so I have created none for one direction. I can watch “{either}”.",
    "한 시간 안의 급변 감시는 오르든 내리든 울리므로, 한 방향만 감시하는 것은 만들지 않았습니다. “{either}”로는 감시할 수 있습니다.",
    "Наблюдение за движением в пределах часа срабатывает в любую сторону, поэтому для одного направления я его не создал. Могу следить так: «{either}»."
  ),
  orLevel: text(
    "Without a time, I can watch “{level}”.",
    "기간 없이는 “{level}”로 감시할 수 있습니다.",
    "Без срока могу следить так: «{level}»."
  ),
  either: text(
    "alert me when {coin} moves {percent}% in an hour",
    "{coin} 한 시간 안에 {percent}% 움직이면 알려줘",
    "сообщи, когда {coin} изменится на {percent}% за час"
  ),
  anyCoin: text("any coin", "아무 코인이나", "любая монета"),
  rise: text(
    "alert me when {coin} is {percent}% above the current price",
    "{coin} 현재가보다 {percent}% 위로 가면 알려줘",
    "сообщи, когда {coin} будет на {percent}% выше текущей цены"
  ),
  fall: text(
    "alert me when {coin} is {percent}% below the current price",
    "{coin} 현재가보다 {percent}% 아래로 가면 알려줘",
    "сообщи, когда {coin} будет на {percent}% ниже текущей цены"
  ),
  now: text("{coin} trades at {price} now.", "{coin} 현재가는 {price}입니다.", "{coin} сейчас по {price}."),
  change: text(
    "A task can be paused or removed at any time.",
    "작업은 언제든 일시 중지하거나 삭제할 수 있습니다.",
    "Задачу можно в любой момент приостановить или удалить."
  )
}

const titleOf = (spec: Spec): string =>
  ["symbol", "metric", "op", "dir", "value"].flatMap((key) => {
    const part = spec[key]
    return typeof part === "string" || typeof part === "number" ? [String(part)] : []
  }).join(" ")

const watching = (spec: Spec): Planned => ask("create_task", { title: titleOf(spec), kind: "watch", spec })

/** Returns the arguments of `get_levels`: those of the earlier answer if the question names one of its levels. */
const levelArguments = (reading: Reading) => {
  const tf = listedLevelOf(reading)?.tf
  return { coin: coinOf(reading), ...(tf === undefined ? {} : { tf }) }
}

const proposalOf = (reading: Reading, found: Findings) => {
  // A price level does not answer a condition on a score.
  if (scores.test(reading.words)) return null
  const listed = listedLevelOf(reading)
  const levels = found.of("get_levels", levelArguments(reading))
  const down = listed?.isDown ?? under.test(reading.words)
  const { above, below } = levelsAround(levels, found.of("get_price", { coin: coinOf(reading) }).num("price"))
  const value = (down ? below : above)[listed?.place ?? 0]
  return value === undefined ? null : { op: down ? "cross_below" : "cross_above", value }
}

const changeWords = (wanted: Change, found: Findings, { format, say }: Desk): string | null => {
  const amount = (value: number | null) => wanted.of.market === "kr" ? format.krw(value) : format.usd(value)
  const value = changeSpec(wanted, found)?.["value"]
  return say(said.touch, {
    coin: wanted.of.symbol,
    price: amount(priceNow(wanted.of, found)),
    side: say(wanted.isDown ? said.sideBelow : said.sideAbove, {}),
    value: amount(typeof value === "number" ? value : null)
  })
}

const touchWords = (wanted: Touch, found: Findings, { format, say }: Desk): string | null => {
  const amount = (value: number | null) => wanted.of.market === "kr" ? format.krw(value) : format.usd(value)
  const op = touchSpec(wanted, found)?.["op"]
  return say(said.touch, {
    coin: wanted.of.symbol,
    price: amount(priceNow(wanted.of, found)),
    side: op === undefined ? null : say(op === "lt" ? said.sideBelow : said.sideAbove, {}),
    value: amount(wanted.value)
  })
}

type Currency = Extract<Condition, { readonly _tag: "Currency" }>

const currencySaid = ({ amount, isDown, of, won }: Currency, found: Findings, { format, say }: Desk) => {
  const market = found.of("get_kr_market")
  const rate = market.num("usd_krw.rate") ?? market.num("usd_krw")
  const value = won === null || rate === null ? null : Number((won / rate).toPrecision(5))
  const level = say(isDown ? said.levelBelow : said.levelAbove, { name: of.symbol, value: format.plain(value) })
  return {
    verdict: say(said.currency, {
      name: of.symbol,
      unit: say(of.market === "kr" ? said.wons : said.dollars, {}),
      amount
    }),
    evidence: [say(said.wonInDollars, {
      won: format.krw(won),
      usd: format.usd(value),
      rate: format.number(rate),
      level
    })]
  }
}

const relativeWords = (wanted: Relative, found: Findings, { format }: Desk) => {
  const amount = (value: number | null) => wanted.of.market === "kr" ? format.krw(value) : format.usd(value)
  const value = relativeSpec(wanted, found)?.["value"]
  return {
    percent: format.percent(wanted.percent),
    price: amount(relativeBase(wanted, found)),
    level: amount(typeof value === "number" ? value : null)
  }
}

const writeMade = (reading: Reading, found: Findings, { say }: Desk) => {
  const made = found.came("create_task")
  const title = made?.arguments?.["title"]
  return made?.ok === true
    ? say(made.arguments?.["kind"] === "schedule" ? said.scheduled : said.made, {
      title: typeof title === "string" ? title : coinOf(reading)
    })
    : null
}

const storedTask = (found: Findings, { lang, say }: Desk): string | null => {
  const made = found.came("create_task")
  return made?.ok === true && made.arguments !== null
    ? say(said.stored, { what: storedWords(ask("create_task", made.arguments), made, lang) })
    : null
}

const nameOf = ({ coins, stocks }: Reading): string => stocks[0]?.name ?? coins[0] ?? "BTC"

const scheduledCalls = (scheduled: Scheduled): ReadonlyArray<Planned> =>
  scheduled._tag === "Repeated" ? [scheduled.call] : scheduled._tag === "Once" ? [scheduled.call] : []

const notScheduled = (scheduled: Exclude<Scheduled, { readonly _tag: "Repeated" }>, coin: string, { say }: Desk) => {
  switch (scheduled._tag) {
    case "Once":
      return say(said.once, scheduled)
    case "Days":
      return say(said.days, { words: scheduled.words, coin })
    case "Times":
      return say(said.times, { words: scheduled.words, coin })
    case "Zone":
      return say(said.zone, { words: scheduled.words })
    case "Interval":
      return say(said.interval, { coin })
    case "Unasked":
      return say(said.unasked, { coin })
  }
}

/** Returns a note that a watch on a price move fires in both directions. */
const eitherWay = (reading: Reading, { say }: Desk): string | null => {
  const wanted = conditionOf(reading)
  const isMove = wanted._tag === "Specs" && wanted.specs.some(({ metric }) => metric === "gap")
  return isMove ? say(said.eitherWay, {}) : null
}

const levelSaid = (reading: Reading, found: Findings, { format, say }: Desk) => {
  const coin = coinOf(reading)
  const level = proposalOf(reading, found)
  return {
    verdict: level === null
      ? say(said.vague, { coin })
      : say(said.proposal, { coin, op: level.op, value: String(level.value) }),
    evidence: [say(said.now, { coin, price: format.usd(found.of("get_price", { coin }).num("price")) })]
  }
}

export const watch: Intent = {
  name: "watch",
  asked: ({ words }) =>
    (asks.test(words) && condition.test(words) && repeatedInRangeIn(words) === null) || asksByTimes(words),
  over: "all",
  plan: (reading, found) => {
    const scheduled = scheduledOf(reading)
    if (scheduled !== null) return scheduledCalls(scheduled)
    const wanted = conditionOf(reading)
    if (wanted._tag === "Relative") {
      const from = wanted.base === null ? [priceOf(wanted)] : []
      const spec = relativeSpec(wanted, found)
      return [...from, ...(spec === null ? [] : [{ ...watching(spec), from: wanted.stated }])]
    }
    if (wanted._tag === "Touch") {
      const spec = touchSpec(wanted, found)
      return [priceOf(wanted), ...(spec === null ? [] : [watching(spec)])]
    }
    if (wanted._tag === "Change") {
      const spec = changeSpec(wanted, found)
      return [priceOf(wanted), ...(spec === null ? [] : [{ ...watching(spec), from: [wanted.amount] }])]
    }
    if (wanted._tag === "Currency") return wanted.won === null ? [] : [ask("get_kr_market")]
    if (wanted._tag === "Specs") {
      return wanted.specs.map(watching)
    }
    // A call without an instrument makes the answer ask for an instrument.
    if (wanted._tag === "OneWay" && wanted.symbol === unnamed) return [ask("get_price", { coin: unnamed })]
    if (wanted._tag !== "Level") return []
    const coin = coinOf(reading)
    const level = proposalOf(reading, found)
    return [
      ask("get_levels", levelArguments(reading)),
      ask("get_price", { coin }),
      ...(level === null ? [] : [watching({ metric: "price", symbol: coin, ...level })])
    ]
  },
  write: (reading, found, desk) => {
    const { say } = desk
    const scheduled = scheduledOf(reading)
    const made = writeMade(reading, found, desk)
    const created = found.came("create_task")
    if ((created !== undefined && !isProposed(created)) || scheduled?._tag === "Repeated") {
      return {
        verdict: made,
        evidence: [storedTask(found, desk), eitherWay(reading, desk)],
        change: made === null ? null : say(said.change, {})
      }
    }
    if (scheduled !== null) return { verdict: notScheduled(scheduled, nameOf(reading), desk), evidence: [] }
    const coin = nameOf(reading)
    const wanted = conditionOf(reading)
    switch (wanted._tag) {
      case "Specs":
        return {
          verdict: wanted.specs.length > 1 ? say(said.several, {}) : null,
          evidence: [eitherWay(reading, desk)]
        }
      case "Relative": {
        const values = relativeWords(wanted, found, desk)
        return { verdict: say(wanted.isDown ? said.below : said.above, values), evidence: [] }
      }
      case "Touch":
        return { verdict: touchWords(wanted, found, desk), evidence: [] }
      case "Change":
        return { verdict: changeWords(wanted, found, desk), evidence: [] }
      case "Currency":
        return currencySaid(wanted, found, desk)
      case "OneWay": {
        const isAny = wanted.symbol === "*"
        const values = { coin: isAny ? say(said.anyCoin, {}) : wanted.symbol, percent: String(wanted.percent) }
        const either = say(said.oneWay, { either: say(said.either, values) })
        const level = say(wanted.isDown ? said.fall : said.rise, values)
        return { verdict: isAny ? either : `${either} ${say(said.orLevel, { level })}`, evidence: [] }
      }
      case "Unwatched":
        return {
          verdict: say(said.unwatched, { coin, figure: figureIn(reading) ?? say(said.funding, {}) }),
          evidence: []
        }
      case "Timed":
        return { verdict: say(said.timed, { coin }), evidence: [] }
      case "Together":
        return { verdict: say(said.together, { coin }), evidence: [] }
      case "Level":
        return levelSaid(reading, found, desk)
    }
  },
  next: [
    questions.levels,
    questions.alerts,
    questions.outlook
  ]
}
