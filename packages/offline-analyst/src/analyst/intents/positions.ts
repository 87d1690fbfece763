import type { Data, Findings } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksPositions = rule(
  "my (?:open |total |overall |current |[a-z]{3,5} )*(?:positions?|trades?|holdings?|risk|exposure|pnl|p&l|var|liq(?:uidation)?(?: price)?|drawdown)|(?:i hold|am i holding)|am i (?:up|down|in (?:profit|the red))|(?:my )?portfolio|^(?:show |list )?(?:the )?positions?\\??$",
  "내\\s?(?:[가-힣a-z]+\\s)?(?:포지션|보유|포트폴리오|계좌|손익|리스크|청산가|물린)|포트폴리오|제\\s?포지션|포지션\\s?(?:보여|목록|현황|확인)",
  "позици[ия] (?:мои|покажи)|мо[йяеи][хмю]?\\s(?:[а-я]+ )?(?:позици|портфел|риск|pnl|счет|цен[аыу] ликвидац|ликвидац|var|просадк)|у меня (?:[а-я]+ )*(?:риск|позици|var)|портфел|(?:я|мы) (?:сейчас )?в (?:плюсе|минусе)|^в (?:плюсе|минусе)(?: ли)? (?:я|мы)|мои[хм]? позици|^(?:покажи )?позици[ия]\\??$"
)
/** Matches requests to close the position of the conversation. */
const closesIt =
  /^(?:ok |now |and )*(?:close|exit|sell) (?:it|that|this)(?![a-z])|^(?:закрой|продай) (?:ее|его|это)|^(?:그거 |이거 )?(?:청산|정리)해/u
const asksRisk = rule(
  "risk|exposure|var|value at risk",
  "리스크|위험|var|노출",
  "риск|var|просадк"
)
const asksLiquidation = rule("liq(?:uidation|uidated)?", "청산", "ликвид")
const asksRecord = rule(
  "(?:record|log|save|add|enter) (?:my |a |this )?(?:position|trade|long|short)",
  "포지션\\s?(?:기록|등록|추가|저장)",
  "(?:запиши|добавь|сохрани|внеси) (?:мою |мой )?(?:позици|лонг|шорт|сделк)"
)

const said = {
  none: text(
    "You have no open position recorded.",
    "기록된 열린 포지션이 없습니다.",
    "Открытых позиций в журнале нет."
  ),
  positions: text(
    "Open positions recorded: {n}, unrealised {results}.",
    "기록된 포지션 {n}개의 미실현 손익: {results}.",
    "Открытых позиций: {n}, нереализованный результат: {results}."
  ),
  positionsOnly: text(
    "Open positions recorded: {n}.",
    "기록된 포지션은 {n}개입니다.",
    "Открытых позиций: {n}."
  ),
  result: text("{coin} {side} {pnl}", "{coin} {side} {pnl}", "{coin} {side} {pnl}"),
  gross: text("Gross {gross}, net {net}.", "총 {gross}, 순 {net}.", "Брутто {gross}, нетто {net}."),
  liquidation: text(
    "{coin} {side}: liquidation at {price}, {distance} away from {mark}.",
    "{coin} {side}: 청산가 {price}, 현재가 {mark}에서 {distance} 떨어져 있습니다.",
    "{coin} {side}: ликвидация на {price}, до нее {distance} от {mark}."
  ),
  noLiquidation: text(
    "{coin} {side}: no liquidation price, since no leverage is recorded or no price liquidates it.",
    "{coin} {side}: 레버리지가 기록되지 않았거나 청산될 가격이 없습니다.",
    "{coin} {side}: цены ликвидации нет, плечо не записано или ни одна цена не ликвидирует."
  ),
  risk: text(
    "Your open risk to the stops is {open}; one-day value at risk (95%) {var}.",
    "손절까지의 열린 위험은 {open}, 1일 VaR(95%)은 {var}입니다.",
    "Открытый риск до стопов {open}; дневной VaR (95%) {var}."
  ),
  riskShare: text("That is {pct} of the account.", "계좌의 {pct}입니다.", "Это {pct} счета."),
  unprotected: text(
    "Without a stop: {n} of the positions; their risk is not in that sum.",
    "손절이 없는 포지션 {n}개의 위험은 이 합에 들어 있지 않습니다.",
    "Без стопа позиций: {n}; их риск в эту сумму не входит."
  ),
  concentration: text(
    "Largest share: {coin} {share}.",
    "최대 비중: {coin} {share}.",
    "Наибольшая доля: {coin} {share}."
  ),
  position: text(
    "{coin} {side}: entry {entry}, mark {mark}, {pnl} ({pct}).",
    "{coin} {side}: 진입 {entry}, 현재 {mark}, 손익 {pnl}({pct}).",
    "{coin} {side}: вход {entry}, марк {mark}, {pnl} ({pct})."
  ),
  positionKnown: text("{coin} {side}: {known}.", "{coin} {side}: {known}.", "{coin} {side}: {known}."),
  entry: text("entry {value}", "진입 {value}", "вход {value}"),
  noEntry: text("no entry recorded", "진입가 기록 없음", "вход не записан"),
  size: text("size {value}", "규모 {value}", "размер {value}"),
  noSize: text("no size recorded", "규모 기록 없음", "размер не записан"),
  stop: text("stop {value}", "손절 {value}", "стоп {value}"),
  leverage: text("leverage {value}x", "레버리지 {value}배", "плечо {value}x"),
  mark: text("mark {value}", "현재 {value}", "марк {value}"),
  more: text(
    "{n} more positions are not shown.",
    "표시하지 않은 포지션이 {n}개 더 있습니다.",
    "Ещё позиций не показано: {n}."
  ),
  posChange: text(
    "A position without a stop has no known risk: set one first.",
    "손절이 없는 포지션은 위험을 알 수 없으니 먼저 설정하세요.",
    "Без стопа риск позиции неизвестен: сначала поставьте его."
  )
}

const next = [
  questions.journal,
  questions.trades,
  questions.outlook
]

const valuesOf = (row: Data, { format, lang }: Desk) => ({
  coin: row.str("coin"),
  side: wordOf(lang, row.str("side")),
  entry: format.usd(row.num("entry")),
  mark: format.usd(row.num("mark")),
  pnl: format.gainUsd(row.num("unrealised_usd")),
  pct: format.change(row.num("unrealised_pct")),
  price: format.usd(row.num("liquidation_price")),
  distance: format.percent(row.num("liquidation_distance_pct"))
})

/** Returns the line of a position, which lists the known values instead of the profit if the profit is unknown. */
const positionLine = (row: Data, desk: Desk) => {
  const { format, say } = desk
  const values = valuesOf(row, desk)
  const known = [
    say(said.entry, { value: values.entry }) ?? say(said.noEntry, {}),
    say(said.size, { value: format.usd(row.num("size_usd")) }) ?? say(said.noSize, {}),
    say(said.stop, { value: format.usd(row.num("stop")) }),
    say(said.leverage, { value: format.plain(row.num("leverage")) }),
    say(said.mark, { value: values.mark })
  ]
  return say(said.position, values) ??
    say(said.positionKnown, { ...values, known: format.list(known.filter((part) => part !== null)) })
}

const liquidationLine = (row: Data, desk: Desk) => {
  const values = valuesOf(row, desk)
  return desk.say(said.liquidation, values) ?? desk.say(said.noLiquidation, values)
}

const riskLine = (risk: Data, { format, say }: Desk) =>
  say(said.risk, { var: format.usd(risk.num("var_95_usd")), open: format.usd(risk.num("open_risk_usd")) })

const riskLines = (risk: Data, { format, say }: Desk) => {
  const open = risk.list("unprotected").length + risk.strings("unprotected").length
  const [largest] = risk.list("concentration")
  return [
    say(said.riskShare, { pct: format.percent(risk.num("open_risk_pct")) }),
    open === 0 ? null : say(said.unprotected, { n: format.count(open) }),
    say(said.gross, { gross: format.bigUsd(risk.num("gross_usd")), net: format.bigUsd(risk.num("net_usd")) }),
    say(said.concentration, {
      coin: largest?.str("coin") ?? null,
      share: format.percent(largest?.num("share_pct") ?? null)
    })
  ]
}

const asked = (reading: Reading, found: Findings): ReadonlyArray<Data> => {
  const rows = found.of("get_positions").list("positions")
  const own = reading.named ? rows.filter((row) => reading.coins.includes(row.str("coin") ?? "")) : []
  return own.length > 0 ? own : rows
}

const verdictOf = (reading: Reading, found: Findings, desk: Desk): string | null => {
  const { format, say } = desk
  const data = found.of("get_positions")
  const rows = asked(reading, found)
  const [first] = rows
  if (data.raw === null) return null
  if (first === undefined) return say(said.none, {})
  if (asksLiquidation.test(reading.words)) return liquidationLine(first, desk)
  const risk = asksRisk.test(reading.words) ? riskLine(found.of("get_portfolio_risk"), desk) : null
  const results = format.list(rows.slice(0, 8).flatMap((row) => say(said.result, valuesOf(row, desk)) ?? []))
  const n = format.count(rows.length)
  return risk ?? say(said.positions, { n, results }) ?? say(said.positionsOnly, { n })
}

/** The maximum number of listed positions, which leaves room for two more lines in the answer. */
const shown = 6

export const positions: Intent = {
  name: "positions",
  reads: [
    asksPositions,
    closesIt,
    asksRisk,
    asksLiquidation,
    rule(
      "positions?|trades?|longs?|shorts?|pnl|p&l|profits?|up|down|stops?|entry|size|leverage|portfolio|holdings?|risky|close",
      "포지션|롱|숏|손익|수익|손절|진입|규모|레버리지|보유|정리|청산",
      "позици|лонг|шорт|pnl|прибыл|стоп|вход|размер|плеч|портфел|плюс|минус|закр"
    )
  ],
  asked: ({ words }) => (asksPositions.test(words) || closesIt.test(words)) && !asksRecord.test(words),
  over: "all",
  plan: () => [ask("get_positions"), ask("get_portfolio_risk")],
  write: (reading, found, desk) => {
    const risk = found.of("get_portfolio_risk")
    const rows = asked(reading, found)
    const liquidations = asksLiquidation.test(reading.words)
    const ofRisk = asksRisk.test(reading.words)
    return {
      verdict: verdictOf(reading, found, desk),
      evidence: rows.length === 0 ? [] : [
        ...(liquidations ? rows.slice(1, 4).map((row) => liquidationLine(row, desk)) : []),
        ...(ofRisk ? riskLines(risk, desk) : []),
        ...rows.slice(0, shown).map((row) => positionLine(row, desk)),
        rows.length > shown ? desk.say(said.more, { n: desk.format.count(rows.length - shown) }) : null,
        ofRisk ? null : riskLine(risk, desk)
      ],
      change: rows.length === 0 ? null : desk.say(said.posChange, {})
    }
  },
  next
}
