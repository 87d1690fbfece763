import { ask, type Intent } from "../intent.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksMarket = rule(
  "s&p(?: 500)?|spx|spy|qqq|nasdaq|dow(?: jones)?|vix|wall street|us (?:stock )?(?:market|stocks|equities)|american stocks|stock market|(?:us|america|new york|wall street) (?:opens?|closes?)",
  "나스닥|s&p|스앤피|에센피|다우|뉴욕\\s?증시|미국\\s?(?:증시|주식|시장)|빅스|vix|미장",
  "s&p|сипи|снп|spx|насдак|nasdaq|доу|американск[а-я]+ (?:рын|акци|бирж|фондов)|рын[а-я]+ (?:акций )?сша|акци[ий] сша|vix|викс|(?:откр|закр)[а-я]+ америк|америк[а-я]* (?:откр|закр)|уолл-стрит|фондов[а-я]+ рын"
)

const said = {
  index: text("{name} {value} ({change})", "{name} {value}({change})", "{name} {value} ({change})"),
  market: text("US stocks: {indices}.", "미국 증시: {indices}.", "Акции США: {indices}."),
  vix: text(
    "VIX {vix} ({change}), percentile {percentile} of {n} days.",
    "VIX {vix}({change}), 최근 {n}일 백분위 {percentile}.",
    "VIX {vix} ({change}), перцентиль {percentile} за {n} дн."
  ),
  breadth: text(
    "{up} stocks up, {down} down; session: {session}.",
    "상승 {up}종목, 하락 {down}종목, 세션: {session}.",
    "Растет бумаг: {up}, падает: {down}; сессия: {session}."
  ),
  sectors: text(
    "Best sector {best} ({bestChange}), worst {worst} ({worstChange}).",
    "강한 업종 {best}({bestChange}), 약한 업종 {worst}({worstChange}).",
    "Лучший сектор {best} ({bestChange}), худший {worst} ({worstChange})."
  ),
  futures: text("Futures: {futures}.", "지수 선물: {futures}.", "Фьючерсы: {futures}."),
  marketChange: text(
    "Breadth that turns against the index, or a VIX that jumps, comes first; the index follows.",
    "등락 종목 비율이 지수와 반대로 가거나 VIX가 튀면 먼저 신호가 나오고 지수가 따라갑니다.",
    "Сначала ширина расходится с индексом или прыгает VIX, потом следует индекс."
  )
}

export const usMarket: Intent = {
  name: "usMarket",
  reads: [
    rule(
      "us|usa|american|index|doing|green|red|market|stocks?|open|close",
      "미국|지수|증시|시장|마감",
      "сша|америк|индекс|рынок|акци"
    ),
    asksMarket
  ],
  asked: (reading) => asksMarket.test(reading.words) && reading.stocks.length === 0,
  over: ["price", "trend", "overview", "levels"],
  plan: () => [ask("get_us_market")],
  write: (_, found, { format, lang, say }) => {
    const data = found.of("get_us_market")
    const rows = (path: string) =>
      data.list(path).flatMap((index) =>
        say(said.index, {
          name: index.str("name"),
          value: format.fixed(index.num("value"), 2),
          change: format.change(index.num("change_pct"))
        }) ?? []
      )
    const sectors = data.list("sectors")
    return {
      verdict: say(said.market, { indices: format.list(rows("indices").slice(0, 4)) }),
      evidence: [
        say(said.vix, {
          vix: format.fixed(data.num("vix.value"), 2),
          change: format.change(data.num("vix.change_pct")),
          percentile: format.fixed(data.num("vix.percentile"), 0),
          n: format.count(data.num("vix.n"))
        }),
        say(said.breadth, {
          up: format.count(data.num("breadth.advancing")),
          down: format.count(data.num("breadth.declining")),
          session: wordOf(lang, data.str("session"))
        }),
        say(said.sectors, {
          best: wordOf(lang, sectors[0]?.str("sector") ?? null),
          bestChange: format.change(sectors[0]?.num("change_pct") ?? null),
          worst: wordOf(lang, sectors.at(-1)?.str("sector") ?? null),
          worstChange: format.change(sectors.at(-1)?.num("change_pct") ?? null)
        }),
        say(said.futures, { futures: format.list(rows("futures").slice(0, 2)) })
      ],
      change: say(said.marketChange, {})
    }
  },
  next: [
    text("How is Apple's share?", "애플 주가는 어떤가요?", "Как акции Эппл?"),
    questions.calendar,
    questions.yields
  ]
}
