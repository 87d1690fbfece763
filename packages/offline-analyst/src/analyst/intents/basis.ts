import { ask, type Intent } from "../intent.ts"
import { monthOf } from "../reading/day.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksBasis = rule(
  "basis|contango|backwardation|term premium|futures premium",
  "베이시스|콘탱고|백워데이션|선물 프리미엄",
  "базис|контанго|бэквордац|премия фьючерс"
)

const said = {
  basisVerdict: text(
    "{name} futures are in {structure}: the perpetual stands {perp} against its index.",
    "{name} 선물은 {structure} 상태이며, 무기한 선물은 지수 대비 {perp}입니다.",
    "Фьючерсы {name}: {structure}; перп к индексу {perp}."
  ),
  perpOnly: text(
    "{name}'s perpetual stands {perp} against its index; no dated futures are listed.",
    "{name} 무기한 선물은 지수 대비 {perp}이며, 만기 선물은 없습니다.",
    "Перп {name} к индексу {perp}; срочных фьючерсов нет."
  ),
  future: text(
    "{date}: {basis} ({annual} a year)",
    "{date}: {basis}(연 {annual})",
    "{date}: {basis} ({annual} годовых)"
  ),
  futureFirst: text(
    "{name}'s future of {date} stands {basis} over spot: {annual} a year.",
    "{name} {date} 만기 선물은 현물 대비 {basis}, 연환산 {annual}입니다.",
    "Фьючерс {name} на {date}: {basis} к споту, {annual} годовых."
  ),
  futures: text("By expiry: {futures}.", "만기별: {futures}.", "По экспирациям: {futures}."),
  basisChange: text(
    "A basis that turns negative says that hedgers pay to be short; one that doubles says that leverage is being bought.",
    "베이시스가 음수로 돌면 헤지 매도가 비용을 내고 있다는 뜻이고, 두 배로 커지면 레버리지 매수가 몰린다는 뜻입니다.",
    "Отрицательный базис скажет, что хеджеры платят за шорт; удвоение базиса, что покупают плечо."
  ),
  basisWhy: text(
    "The annualised basis is what cash-and-carry earns, so it compares with yields.",
    "연율 베이시스는 현·선물 차익거래의 수익률이므로 금리와 비교할 수 있습니다.",
    "Годовой базис это доход кэш-энд-керри, его и сравнивают со ставками."
  )
}

const expiriesShown = 3

export const basis: Intent = {
  name: "basis",
  reads: [
    rule("futures?|annuali[sz]ed|cash-and-carry|yield|premium", "선물|현물|연환산", "фьюч|спот|годов|премия|декабрьск"),
    asksBasis
  ],
  asked: ({ words }) => asksBasis.test(words),
  over: ["price", "trend", "openInterest"],
  plan: (reading) => [ask("get_basis", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_basis", { coin: name })
    const perp = format.change(data.num("perp_basis_pct"))
    const futures = data.list("futures")
    const month = monthOf(reading.words)
    const wanted = month === null
      ? undefined
      : futures.findLast((future) => Number(future.str("expiry")?.slice(5, 7)) === month)
    return {
      verdict: say(said.futureFirst, {
        name,
        date: format.date(wanted?.str("expiry") ?? null),
        basis: format.change(wanted?.num("basis_pct") ?? null),
        annual: format.percent(wanted?.num("annualised_pct") ?? null)
      }) ?? say(said.basisVerdict, { name, structure: wordOf(lang, data.str("structure")), perp }) ??
        say(said.perpOnly, { name, perp }),
      evidence: [
        say(said.futures, {
          futures: format.list(
            futures.slice(0, expiriesShown).flatMap((future) =>
              say(said.future, {
                date: format.date(future.str("expiry")),
                basis: format.change(future.num("basis_pct")),
                annual: format.percent(future.num("annualised_pct"))
              }) ?? []
            )
          )
        })
      ],
      change: say(said.basisChange, {}),
      why: say(said.basisWhy, {})
    }
  },
  next: [
    questions.funding,
    questions.impliedVolatility,
    questions.openInterest
  ]
}
