import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { horizonFor, probability, targetOf } from "./odds.ts"

const asksBinary = rule("binary|binaries", "바이너리", "бинарн")

const said = {
  worth: text(
    "At odds of {odds} the bet is worth {ev} per unit staked: it breaks even at {even}, so take it or leave it by that edge of {edge}.",
    "확률 {odds}에서 이 베팅의 기댓값은 1단위당 {ev}입니다. 손익분기 승률은 {even}, 우위는 {edge}입니다.",
    "При вероятности {odds} ставка стоит {ev} на единицу: безубыток при {even}, перевес {edge}."
  ),
  unpaid: text(
    "Tell me what it pays, as in “pays 1.8x” or “pays 80%”, and I can say what the bet is worth.",
    "지급 배수를 알려 주시면(예: 1.8배 또는 80%) 베팅의 기댓값을 계산할 수 있습니다.",
    "Скажите, сколько она платит («платит 1.8x» или «платит 80%»), и я посчитаю, чего стоит ставка."
  )
}

const asWords = rule("two and a half times", "두 배 반", "в два с половиной раза")

/** Returns the gain of a winning bet in percent of the stake: "pays 2.5x" is a gain of 150 %. */
const payoutOf = ({ numbers, words }: Reading): number | null => {
  if (asWords.test(words)) return 150
  const times = numbers.find(({ after, kind }) => kind === "times" || /^\s?times/.test(after))?.value
  if (times !== undefined) return times > 1 ? Number(((times - 1) * 100).toPrecision(6)) : null
  return numbers.find(({ kind, value }) => kind === "percent" && value > 0)?.value ?? null
}

export const binary: Intent = {
  ...probability,
  name: "binary",
  asked: ({ stocks, words }) => asksBinary.test(words) && stocks.length === 0,
  over: ["price", "trend", "overview", "score", "probability"],
  plan: (reading, found) => {
    const coin = coinOf(reading)
    const target = targetOf(reading)
    const payout = payoutOf(reading)
    const chances = found.of("get_probability", { coin })
    const odds = chances.num("p_above") ?? chances.num("p_up")
    return [
      ask("get_probability", { coin, horizon_min: horizonFor(reading), ...(target === null ? {} : { target }) }),
      ...(odds === null || payout === null ? [] : [ask("get_binary_ev", { p_win: odds, payout_pct: payout })])
    ]
  },
  write: (reading, found, desk) => {
    const { format, say } = desk
    const section = probability.write(reading, found, desk)
    const chances = found.of("get_probability", { coin: coinOf(reading) })
    const bet = found.of("get_binary_ev")
    const worth = say(said.worth, {
      odds: format.odds(chances.num("p_above") ?? chances.num("p_up")),
      ev: format.signed(bet.num("ev_per_unit")),
      even: format.share(bet.num("break_even_win_rate")),
      edge: format.signed(bet.num("edge"))
    })
    const first = worth ?? (payoutOf(reading) === null ? say(said.unpaid, {}) : null)
    return first === null ? section : { ...section, verdict: first, evidence: [section.verdict, ...section.evidence] }
  }
}
