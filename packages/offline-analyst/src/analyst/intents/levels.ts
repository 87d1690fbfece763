import type { Data } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import { numbersOf } from "../reading/numbers.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { levelsAround } from "./nearest.ts"
import { questions } from "./questions.ts"

const asks = rule(
  "supports?|resistances?|(?:where|put|place) .{0,24}stop(?:[- ]?loss)?|levels?|fibonacci|fib|pivots?|key prices?|swing (?:high|low)s?",
  "지지|저항|손절(?:은|을|가|선)? ?(?:어디|라인|자리)|레벨|피보|피봇|매물대 상단|주요 가격|되돌림",
  "поддержк|сопротивлен|где (?:ставить |поставить |держать )?стоп|уровн|фибо|фиб[аеуы](?![а-я])|пивот"
)

const said = {
  both: text(
    "{name} at {price} stands between support {support} ({down}) and resistance {resistance} ({up}; {tf} bars).",
    "{name} 현재가 {price}: 가까운 지지선({support}, {down})과 저항선({resistance}, {up}) 사이입니다({tf}봉).",
    "{name} по {price}: между поддержкой {support} ({down}) и сопротивлением {resistance} ({up}; бары {tf})."
  ),
  support: text(
    "{name} at {price} has its nearest support at {support}; above, {tf} bars show no resistance.",
    "{name} 현재가 {price}: 가까운 지지선은 {support}, 위로는 {tf}봉 기준 저항선이 없습니다.",
    "{name} по {price}: ближайшая поддержка {support}, сверху на {tf} сопротивлений нет."
  ),
  resistance: text(
    "{name} at {price} has its nearest resistance at {resistance}; below, {tf} bars show no support.",
    "{name} 현재가 {price}: 가까운 저항선은 {resistance}, 아래로는 {tf}봉 기준 지지선이 없습니다.",
    "{name} по {price}: ближайшее сопротивление {resistance}, снизу на {tf} поддержек нет."
  ),
  stopLong: text(
    "A stop of a {name} long belongs below the support at {support}, by about one ATR ({atr}); it trades at {price}.",
    "{name} 롱의 손절은 지지선 {support} 아래로 ATR 한 개({atr})쯤 여유를 두는 것이 보통입니다. 현재가 {price}.",
    "Стоп лонга по {name} ставят ниже поддержки {support} примерно на один ATR ({atr}); цена {price}."
  ),
  stopShort: text(
    "A stop of a {name} short belongs above the resistance at {resistance}, by about one ATR ({atr}); it trades at {price}.",
    "{name} 숏의 손절은 저항선 {resistance} 위로 ATR 한 개({atr})쯤 여유를 두는 것이 보통입니다. 현재가 {price}.",
    "Стоп шорта по {name} ставят выше сопротивления {resistance} примерно на один ATR ({atr}); цена {price}."
  ),
  under: text(
    "Below {level}, the next supports of {name} are {levels} (now {price}).",
    "{name} {level} 아래의 다음 지지선은 {levels}입니다(현재가 {price}).",
    "Ниже {level} следующие поддержки {name}: {levels} (сейчас {price})."
  ),
  over: text(
    "Above {level}, the next resistances of {name} are {levels} (now {price}).",
    "{name} {level} 위의 다음 저항선은 {levels}입니다(현재가 {price}).",
    "Выше {level} следующие сопротивления {name}: {levels} (сейчас {price})."
  ),
  already: text(
    "{name} already trades below {level}, at {price}. The next supports are {levels}.",
    "{name} 현재가 {price}는 이미 {level} 아래입니다. 다음 지지선은 {levels}입니다.",
    "{name} уже ниже {level}: цена {price}. Следующие поддержки: {levels}."
  ),
  noneUnder: text(
    "The tool lists no support of {name} below {level}: the lowest one is {last}.",
    "{name} {level} 아래에는 잡히는 지지선이 없습니다. 가장 낮은 것은 {last}입니다.",
    "Ниже {level} у {name} поддержек в данных нет; самая низкая {last}."
  ),
  noneOver: text(
    "The tool lists no resistance of {name} above {level}: the highest one is {last}.",
    "{name} {level} 위에는 잡히는 저항선이 없습니다. 가장 높은 것은 {last}입니다.",
    "Выше {level} у {name} сопротивлений в данных нет; самое высокое {last}."
  ),
  supports: text("Supports: {levels}.", "지지선: {levels}.", "Поддержки: {levels}."),
  resistances: text("Resistances: {levels}.", "저항선: {levels}.", "Сопротивления: {levels}."),
  pivots: text(
    "Pivot {pivot}, R1 {r1}, S1 {s1}.",
    "피봇 {pivot}, R1 {r1}, S1 {s1}.",
    "Пивот {pivot}, R1 {r1}, S1 {s1}."
  ),
  pivotFirst: text(
    "{name}'s pivot of the last day is {pivot}: R1 {r1}, R2 {r2}, S1 {s1}, S2 {s2}; it trades at {price}.",
    "{name} 전일 기준 피봇은 {pivot}입니다. R1 {r1}, R2 {r2}, S1 {s1}, S2 {s2}, 현재가 {price}.",
    "Пивот {name} по прошлому дню: {pivot}; R1 {r1}, R2 {r2}, S1 {s1}, S2 {s2}, цена {price}."
  ),
  fibonacci: text(
    "{name}'s Fibonacci retracements of the last leg on {tf} ({from} to {to}): {levels}.",
    "{name} {tf}봉 직전 파동({from} → {to}) 피보나치 되돌림: {levels}.",
    "Уровни Фибоначчи {name} на {tf} по последнему движению ({from} → {to}): {levels}."
  ),
  ratio: text("{ratio} {price}", "{ratio} {price}", "{ratio} {price}"),
  swings: text(
    "Last swing high {high}, swing low {low}; ATR(14) {atr}.",
    "최근 스윙 고점 {high}, 저점 {low}, ATR(14) {atr}.",
    "Последний свинг-хай {high}, свинг-лоу {low}; ATR(14) {atr}."
  ),
  change: text(
    "A {tf} close through the nearest level, by more than one ATR ({atr}), makes the next one the target.",
    "{tf}봉이 가까운 레벨을 ATR({atr}) 이상 뚫고 마감하면 다음 레벨이 목표가 됩니다.",
    "Закрытие {tf} за ближайшим уровнем более чем на ATR ({atr}) делает целью следующий."
  ),
  why: text(
    "A level counts for its touches and how fresh they are; within one ATR of it the price is noise, beyond it a decision.",
    "레벨의 무게는 닿은 횟수와 최근성에서 나옵니다. ATR 한 개 안쪽의 움직임은 잡음이고, 그 바깥이 결정입니다.",
    "Вес уровня в числе и свежести касаний: в пределах одного ATR движение это шум, за ним уже решение."
  )
}

const shown = 3

const asksStop = rule("(?<!(?:would|will) it )stop(?:[- ]?loss)?|sl|invalidation", "손절|스탑|스톱", "стоп[а-я]*")
const ofShort = rule("short", "숏", "шорт")
const asksPivots = rule("pivots?", "피봇", "пивот")
const asksFibonacci = rule("fibonacci|fib", "피보|되돌림", "фибо|фиб[аеуы](?![а-я])")

const particular = ({ words }: Reading, data: Data, { format, say }: Desk, about: About): string | null => {
  const pivot = (name: string) => format.usd(data.num(`pivots.${name}`))
  if (asksPivots.test(words)) {
    return say(said.pivotFirst, {
      ...about,
      pivot: pivot("pivot"),
      r1: pivot("r1"),
      r2: pivot("r2"),
      s1: pivot("s1"),
      s2: pivot("s2")
    })
  }
  return asksFibonacci.test(words)
    ? say(said.fibonacci, {
      ...about,
      from: format.usd(data.num("fibonacci.from.price")),
      to: format.usd(data.num("fibonacci.to.price")),
      levels: format.list(
        data.list("fibonacci.retracements").flatMap((row) =>
          say(said.ratio, { ratio: format.plain(row.num("ratio")), price: format.usd(row.num("price")) }) ?? []
        )
      )
    })
    : null
}

const ifBroken = rule(
  "(?:if|once|when|after) (?:it |price |btc |eth |sol )?(?:loses?|breaks?|drops?|falls?|goes|gets|slips|clears?)|what if|loses?|(?:if|once) \\S+ breaks?",
  "깨지면|깨면|무너지면|이탈하면|뚫으면|뚫리면|넘으면|돌파하면|잃으면",
  "если (?:пробь|потеря|упад|уйд|слома|пробой|\\S+ (?:пробь|потеря|упад))|потеряет|пробьет"
)
const upwards = rule("clears?|above|over|resistance|higher", "넘|돌파|뚫|위|저항", "выше|сопротивлен|вверх")
const falls = rule("loses?|drops?|falls?|slips", "깨|무너|이탈|잃", "потеря|упад")
const asksNext = rule("next|then|target|below|above", "다음|그럼|그러면|목표", "следующ|тогда|дальше|цель")

/** Returns the broken level that the question, or an earlier one of the same subject, states as a condition. */
const brokenLevel = ({ lines, numbers, words }: Reading): number | null => {
  const own = numbers.find(({ kind, value }) => kind === "plain" && value > 0)?.value
  if (own !== undefined) return ifBroken.test(words) ? own : null
  const earlier = asksNext.test(words) ? lines.slice(0, -1).findLast((line) => ifBroken.test(line)) : undefined
  return earlier === undefined ? null : numbersOf(earlier).find(({ kind }) => kind === "plain")?.value ?? null
}

interface About {
  readonly name: string
  readonly price: string | null
  readonly tf: string | null
}

const alerts = rule("alert|notify|tell me|ping", "알려|알림", "сообщи|алерт|уведом")

export const levels: Intent = {
  name: "levels",
  numbers: true,
  reads: [
    ifBroken,
    upwards,
    asksNext,
    rule(
      "nearest|closest|points?|floor|next|target|0\\.\\d+|above|below|breaks?|far|away|distance|there|it in",
      "가까운|구간|다음|깨|뚫|얼마나|거리",
      "ближайш|дно|следующ|ниже|выше|далеко|пробь|расстояни"
    ),
    asks,
    asksStop,
    ofShort,
    asksPivots,
    asksFibonacci
  ],
  spans: true,
  asked: (reading) => {
    const { coins, numbers, stocks, words } = reading
    const isBroken = coins.length === 1 && ifBroken.test(words) && numbers.some(({ kind }) => kind === "plain")
    return (asks.test(words) || (isBroken && !alerts.test(words)) ||
      (coins.length === 1 && brokenLevel(reading) !== null && asksNext.test(words))) &&
      (stocks.length === 0 || coins.length > 0)
  },
  over: ["price", "trend"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_levels", { coin, tf: reading.frame ?? "4h" }), ask("get_price", { coin })]
  },
  write: (reading, found, desk) => {
    const { format, say } = desk
    const name = coinOf(reading)
    const data = found.of("get_levels", { coin: name, tf: reading.frame ?? "4h" })
    const tf = format.frame(reading.frame ?? "4h")
    const price = format.usd(found.of("get_price", { coin: name }).num("price") ?? data.num("close"))
    const { above, below } = levelsAround(data, found.of("get_price", { coin: name }).num("price"))
    const near = (prices: ReadonlyArray<number>) =>
      format.list(prices.slice(0, shown).flatMap((level) => format.usd(level) ?? []))
    const broken = brokenLevel(reading)
    const isUp = upwards.test(reading.words) ||
      (broken !== null && broken > (found.of("get_price", { coin: name }).num("price") ?? 0))
    const beyond = broken === null
      ? []
      : isUp
      ? above.filter((level) => level > broken)
      : below.filter((level) => level < broken)
    const last = (isUp ? above : below).at(-1) ?? null
    const values = { name, price, level: format.usd(broken), levels: near(beyond), last: format.usd(last) }
    const now = found.of("get_price", { coin: name }).num("price")
    const isPassed = broken !== null && now !== null && broken > now && falls.test(reading.lines.join(" "))
    const next = broken === null
      ? null
      : isPassed
      ? say(said.already, { ...values, levels: near(below) })
      : say(isUp ? said.over : said.under, values) ?? say(isUp ? said.noneOver : said.noneUnder, values)
    const support = format.usd(below[0] ?? null)
    const resistance = format.usd(above[0] ?? null)
    const atr = format.usd(data.num("atr"))
    const away = (level: number | undefined) =>
      format.change(level === undefined || now === null ? null : 100 * (level / now - 1))
    return {
      verdict: next ?? particular(reading, data, desk, { name, price, tf }) ??
        (asksStop.test(reading.words)
          ? say(ofShort.test(reading.words) ? said.stopShort : said.stopLong, { name, price, support, resistance, atr })
          : null) ??
        say(said.both, { name, price, support, resistance, tf, down: away(below[0]), up: away(above[0]) }) ??
        say(said.support, { name, price, support, tf }) ?? say(said.resistance, { name, price, resistance, tf }),
      evidence: [
        say(said.resistances, { levels: near(above) }),
        say(said.supports, { levels: near(below) }),
        say(said.pivots, {
          pivot: format.usd(data.num("pivots.pivot")),
          r1: format.usd(data.num("pivots.r1")),
          s1: format.usd(data.num("pivots.s1"))
        }),
        say(said.swings, {
          high: format.usd(data.num("swing_high.price")),
          low: format.usd(data.num("swing_low.price")),
          atr
        })
      ],
      change: say(said.change, { tf, atr }),
      why: say(said.why, {})
    }
  },
  next: [
    questions.alertOnBreak,
    questions.liquidationMap,
    questions.outlookOfWeek
  ]
}
