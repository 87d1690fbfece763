import { ask, type Intent } from "../intent.ts"
import { numbersOf, numberWith } from "../reading/numbers.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { accountWord, entryOf, riskWord, sideOf, sizeWord, stopWord, targetWord, tradeOf } from "../reading/trade.ts"
import { storedWords } from "../stored.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { warningIn } from "../writing/warnings.ts"
import { questions } from "./questions.ts"

const asksRisk = rule(
  "(?:position )?size (?:for|of)|position siz(?:e|ing)|risk siz(?:e|ing)|how (?:much|big|large) (?:should|can|to|a position)|size (?:my|a|the)|risk (?:on|per) (?:this )?trade|how big (?:with|can|should|do)|how many (?:coins|btc|eth) (?:should|can|to|do i)|size it",
  "포지션\\s?(?:크기|규모|사이즈)|수량|얼마\\s?(?:들어|넣|진입)|얼마나\\s?(?:사|들어|진입)|리스크\\s?(?:계산|관리|사이징)|몇\\s?개",
  "размер (?:позици|сделк)|объем (?:позици|на (?:лонг|шорт|сделк))|сколько (?:купить|брать|взять|покупать|монет)|рассчитай (?:риск|позици)|какой позици"
)
const asksWatchlist = rule(
  "my watch ?list|watch ?list",
  "관심\\s?(?:목록|종목|코인)|워치리스트",
  "список наблюден|вотчлист|избранн"
)
const asksTasks = rule(
  "my (?:tasks|alerts|watches|notifications)|(?:what|which) (?:alerts?|tasks?|watches) (?:do i have|are (?:set|active|on))|(?:any|active) (?:alerts|tasks)|(?:what|which) (?:are )?(?:my |the )?(?:active |current )?(?:alerts?|tasks?|schedules?)|(?:list|show) (?:my )?(?:tasks|alerts|notifications)",
  "내\\s?(?:알림|작업)|(?:알림|작업|예약)\\s?(?:뭐|몇|있)|알림\\s?(?:목록|보여)|작업\\s?목록",
  "мои (?:задач|алерт|оповещен|уведомлен)|как(?:ие|ой) (?:у меня |есть |стоят? |мои )*(?:задач|алерт|оповещен|уведомлен|расписан)|что у меня (?:за |по )?(?:алерт|задач|оповещен)|список (?:задач|алерт|оповещен)"
)
const asksRecord = rule(
  "(?:record|log|save|add|enter) (?:my |a |this )?(?:position|trade|long|short)|i (?:opened|bought|went|am) (?:a )?(?:long|short)|" +
    "(?:long|short)[^?]*(?:record|log) (?:it|this|that)",
  "포지션\\s?(?:기록|등록|추가|저장)|(?:롱|숏)\\s?(?:진입했|잡았|들어갔)",
  "(?:запиши|добавь|сохрани|внеси) (?:мою |мой )?(?:позици|лонг|шорт|сделк)|открыл (?:лонг|шорт)"
)

const said = {
  risk: text(
    "Size {size} ({quantity} coins) risks {risk} at the stop.",
    "포지션 {size}(수량 {quantity}), 손절 시 손실 {risk}입니다.",
    "Размер {size} ({quantity} монет), по стопу риск {risk}."
  ),
  riskEntry: text(
    "Entry {entry}, stop {stop}; risk is {pct} of the account (from {source}).",
    "진입 {entry}, 손절 {stop}, 위험은 계좌의 {pct}({source} 기준).",
    "Вход {entry}, стоп {stop}; риск {pct} счета (источник: {source})."
  ),
  multiple: text("Target {target}: {r} R.", "목표 {target}: {r}R.", "Цель {target}: {r} R."),
  liquidation: text(
    "Liquidation near {price} ({distance} away).",
    "청산가 약 {price}(거리 {distance}).",
    "Ликвидация около {price} (расстояние {distance})."
  ),
  warning: text("Warning: {warning}", "경고: {warning}", "Предупреждение: {warning}"),
  needStop: text(
    "To size a position I need a stop: tell me entry, stop and account, as in “entry 95000, stop 92000, account 10000, risk 1%”.",
    "규모를 계산하려면 손절가가 필요합니다. “진입 95000, 손절 92000, 계좌 10000달러, 리스크 1%”처럼 알려 주세요.",
    "Чтобы рассчитать размер, нужен стоп: например, «вход 95000, стоп 92000, депозит 10000, риск 1%»."
  ),
  riskChange: text(
    "A wider stop means a smaller size for the same risk; never widen the stop to keep the size.",
    "손절 폭이 넓으면 같은 위험에 규모를 줄여야 합니다. 규모를 지키려고 손절을 넓히지 마세요.",
    "Шире стоп, меньше размер при том же риске; не двигайте стоп ради размера."
  ),
  riskWhy: text(
    "Size follows from the distance to the stop, not from conviction: that is what keeps a row of losses survivable.",
    "규모는 확신이 아니라 손절까지의 거리에서 나옵니다. 그래야 연속 손실을 견딥니다.",
    "Размер следует из расстояния до стопа, а не из уверенности: так серия убытков переживаема."
  ),
  list: text("Your watch list: {coins}.", "관심 목록: {coins}.", "Список наблюдения: {coins}."),
  listEmpty: text("Your watch list is empty.", "관심 목록이 비어 있습니다.", "Список наблюдения пуст."),
  row: text("{coin} {price} ({change})", "{coin} {price}({change})", "{coin} {price} ({change})"),
  tasks: text("Your tasks: {n}.", "등록된 작업은 {n}개입니다.", "Задач: {n}."),
  task: text("{title}: {status}.", "{title}: {status}.", "{title}: {status}."),
  numberedTask: text("Task {id}, {title}: {status}.", "{id}번 {title}: {status}.", "Задача {id}, {title}: {status}."),
  recorded: text("Recorded: {what}.", "기록했습니다: {what}.", "Записано: {what}."),
  needSide: text(
    "To record a position I need the coin and whether it is long or short.",
    "포지션을 기록하려면 코인과 롱/숏 방향이 필요합니다.",
    "Чтобы записать позицию, нужны монета и сторона: лонг или шорт."
  )
}

const next = [
  questions.positions,
  questions.journal,
  questions.outlook
]

const broken = /(?:loses?|below|under|breaks?|stop|깨지면|이탈|손절|потеряет|ниже|стоп)[^0-9]{0,14}$/u

/** Returns the stop of a question, or the level at which an earlier question ends the trade. */
const stopOf = ({ lines, numbers }: Reading): number | null => {
  const own = numberWith(numbers, stopWord)
  if (own !== null || lines.length < 2) return own
  return lines.slice(0, -1).toReversed().flatMap((line) =>
    numbersOf(line).filter(({ before, kind }) => kind === "plain" && broken.test(before)).map(({ value }) => value)
  )[0] ?? null
}

const riskArguments = (reading: Reading, entry: number): Record<string, number | string | Array<number>> => {
  const { numbers, words } = reading
  const stop = stopOf(reading)
  const target = numberWith(numbers, targetWord)
  const account = numberWith(numbers, accountWord)
  const risk = numberWith(numbers, riskWord, "percent") ?? numbers.find(({ kind }) => kind === "percent")?.value ?? null
  const leverage = numbers.find(({ kind }) => kind === "times")?.value ?? null
  const side = sideOf(words)
  return {
    entry,
    ...(stop === null ? {} : { stop }),
    ...(side === null || stop === null || (side === "long") !== (stop < entry) ? {} : { side }),
    ...(account === null ? {} : { account_usd: account }),
    ...(risk === null ? {} : { risk_pct: risk }),
    ...(leverage === null ? {} : { leverage }),
    ...(target === null ? {} : { targets: [target] })
  }
}

export const riskSizing: Intent = {
  name: "riskSizing",
  reads: [
    asksRisk,
    stopWord,
    targetWord,
    accountWord,
    riskWord,
    sizeWord,
    rule(
      "entry|long|short|buy|coins?|position|leverage|dollars?",
      "진입|롱|숏|매수|코인|포지션|레버리지",
      "вход|лонг|шорт|монет|позици|плеч"
    )
  ],
  numbers: true,
  asked: ({ numbers, words }) =>
    asksRisk.test(words) ||
    (stopWord.test(words) && numberWith(numbers, stopWord) !== null && numberWith(numbers, accountWord) !== null),
  over: "all",
  plan: (reading, found) => {
    if (stopOf(reading) === null) return []
    const coin = coinOf(reading)
    const stated = entryOf(reading.numbers) ?? tradeOf(reading).entry
    const price = found.of("get_price", { coin }).num("price")
    const entry = stated ?? price
    return [
      ...(stated === null ? [ask("get_price", { coin })] : []),
      ...(entry === null ? [] : [ask("get_risk_sizing", riskArguments(reading, entry))])
    ]
  },
  write: (reading, found, { format, lang, say }) => {
    const data = found.of("get_risk_sizing")
    const args = found.came("get_risk_sizing")?.arguments
    const number = (key: string) => typeof args?.[key] === "number" ? args[key] : null
    const wanted = number("risk_pct")
    return {
      verdict: stopOf(reading) === null ? say(said.needStop, {}) : say(said.risk, {
        size: format.usd(data.num("size_usd")),
        quantity: format.number(data.num("quantity")),
        risk: format.usd(data.num("risk_usd"))
      }),
      evidence: [
        data.raw === null ? null : say(said.riskEntry, {
          entry: format.usd(number("entry")),
          stop: format.usd(number("stop")),
          pct: format.percent(data.num("risk_pct") ?? wanted),
          source: wordOf(lang, data.str("risk_pct_source"))
        }),
        ...data.list("r_multiples").map((row) =>
          say(said.multiple, { target: format.usd(row.num("target")), r: format.fixed(row.num("r"), 2) })
        ),
        say(said.liquidation, {
          price: format.usd(data.num("liquidation_price")),
          distance: format.percent(data.num("liquidation_distance_pct"))
        }),
        ...data.strings("warnings").flatMap((warning) => warningIn(lang, warning) ?? []).slice(0, 2)
          .map((warning) => say(said.warning, { warning }))
      ],
      change: say(said.riskChange, {}),
      why: say(said.riskWhy, {})
    }
  },
  next
}

export const watchlist: Intent = {
  name: "watchlist",
  reads: [asksWatchlist],
  asked: ({ words }) => asksWatchlist.test(words),
  over: "all",
  plan: () => [ask("get_watchlist")],
  write: (_, found, { format, say }) => {
    const data = found.of("get_watchlist")
    const rows = data.list("coins").flatMap((row) =>
      say(said.row, {
        coin: row.str("coin"),
        price: format.usd(row.num("price")),
        change: format.change(row.num("change_24h_pct") ?? row.num("change_pct"))
      }) ?? []
    )
    return {
      verdict: data.raw === null ? null : say(said.list, { coins: format.list(rows) }) ?? say(said.listEmpty, {}),
      evidence: []
    }
  },
  next
}

export const tasks: Intent = {
  name: "tasks",
  reads: [
    asksTasks,
    rule(
      "alerts?|tasks?|watches|schedules?|notifications?|active|running",
      "알림|작업|예약|목록",
      "алерт|задач|оповещ|уведом|расписан"
    )
  ],
  asked: ({ words }) => asksTasks.test(words),
  over: "all",
  plan: () => [ask("get_tasks")],
  write: (_, found, { format, lang, say }) => {
    const data = found.of("get_tasks")
    const rows = data.list("tasks")
    return {
      verdict: say(said.tasks, { n: data.raw === null ? null : format.count(rows.length) }),
      evidence: rows.slice(0, 8).map((row) => {
        const values = { title: row.str("title"), status: wordOf(lang, row.str("status")) }
        const id = row.num("id")
        return say(said.numberedTask, { ...values, id: id === null ? null : String(id) }) ?? say(said.task, values)
      })
    }
  },
  next
}

export const recordPosition: Intent = {
  name: "recordPosition",
  asked: ({ words }) => asksRecord.test(words),
  over: "all",
  plan: (reading) => {
    const { coins, numbers, words } = reading
    const side = sideOf(words)
    if (coins[0] === undefined || side === null) return []
    const target = numberWith(numbers, targetWord)
    const stated: ReadonlyArray<readonly [string, number | ReadonlyArray<number> | null]> = [
      ["entry", entryOf(numbers)],
      ["stop", numberWith(numbers, stopWord)],
      ["takes", target === null ? null : [target]],
      ["size_usd", numberWith(numbers, sizeWord)],
      ["leverage", numbers.find(({ kind }) => kind === "times")?.value ?? null]
    ]
    const known = Object.fromEntries(stated.flatMap(([key, value]) => value === null ? [] : [[key, value]]))
    return [ask("set_position", { coin: coins[0], side, ...known })]
  },
  write: ({ coins, words }, found, { lang, say }) => {
    const came = found.came("set_position")
    const side = sideOf(words)
    if (coins[0] === undefined || side === null) return { verdict: say(said.needSide, {}), evidence: [] }
    const args = came?.arguments
    return {
      verdict: came?.ok === true && args !== null && args !== undefined
        ? say(said.recorded, { what: storedWords(ask("set_position", args), came, lang) })
        : null,
      evidence: []
    }
  },
  next
}
