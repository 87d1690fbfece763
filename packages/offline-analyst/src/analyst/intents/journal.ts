import { ask, type Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksJournal = rule(
  "my (?:journal|stats|win ?rate|performance|closed trades|results|expectancy|profit factor)|trading journal|how did i do|how have i (?:done|been doing)",
  "내\\s?(?:매매일지|일지|통계|승률|성과|성적|기대값)|매매\\s?일지|나 얼마 (?:벌|잃)",
  "мо[йяеи][хм]?\\s(?:[а-я]+ )?(?:журнал|статистик|винрейт|результат|матожидани)|журнал[а-я]* сделок|сколько я (?:заработал|потерял)|как я (?:торговал|отторговал)"
)
const asksTrades = rule(
  "my (?:last |recent |latest |past |closed )*(?:trades|history|trade history|fills)|trade history",
  "(?:내\\s?)?(?:최근\\s?)?(?:매매|거래)\\s?(?:내역|기록|이력)",
  "(?:мои|последние|закрытые) (?:[а-я]+ )?сделки|истори[яюи] (?:моих )?сделок"
)

const said = {
  journal: text(
    "Over {days} days your win rate is {win} of {n} closed positions, result {pnl}.",
    "최근 {days}일 승률은 {win}입니다. 청산 {n}건, 손익 {pnl}.",
    "За {days} дн. доля прибыльных {win}, закрыто позиций {n}, результат {pnl}."
  ),
  journalFew: text(
    "Over {days} days you closed {n} positions: there is nothing to take rates of.",
    "최근 {days}일 동안 청산한 포지션이 {n}건이라 통계를 낼 수 없습니다.",
    "За {days} дн. закрыто позиций: {n}, считать доли не из чего."
  ),
  factor: text(
    "Profit factor {factor}; average win {win} R, loss {loss} R.",
    "손익비(PF) {factor}, 평균 이익 {win}R, 손실 {loss}R.",
    "Профит-фактор {factor}; средний выигрыш {win} R, убыток {loss} R."
  ),
  journalChange: text(
    "Fewer than thirty closed trades say little: judge the process, not the rate.",
    "서른 건 미만의 기록은 의미가 작습니다. 승률보다 과정을 보세요.",
    "Менее тридцати сделок говорят мало: оценивайте процесс, а не процент."
  ),
  expectancy: text(
    "Expectancy {r} R; 95% interval of the win rate {low} to {high}.",
    "기대값 {r}R, 승률 95% 구간 {low} ~ {high}.",
    "Матожидание {r} R; 95% интервал доли прибыльных от {low} до {high}."
  ),
  trades: text(
    "Trades closed in {days} days: {n}; the newest, {coin} {side}, made {pnl}.",
    "최근 {days}일 청산 거래 {n}건, 가장 최근은 {coin} {side} {pnl}입니다.",
    "За {days} дн. закрыто сделок: {n}; последняя, {coin} {side}: {pnl}."
  ),
  noTrades: text(
    "No trade was closed in {days} days.",
    "최근 {days}일 동안 청산한 거래가 없습니다.",
    "За {days} дн. закрытых сделок нет."
  ),
  trade: text(
    "{date} {coin} {side}: entry {entry}, exit {exit}, {pnl}.",
    "{date} {coin} {side}: 진입 {entry}, 청산 {exit}, {pnl}.",
    "{date} {coin} {side}: вход {entry}, выход {exit}, {pnl}."
  )
}

const next = [
  questions.positions,
  questions.journal,
  questions.trades,
  questions.outlook
]

const mostDays = 365

const daysOf = ({ horizon }: Reading): Readonly<Record<string, number>> =>
  horizon === null ? {} : { days: Math.min(mostDays, Math.max(1, Math.round(horizon.minutes / 1_440))) }

export const journal: Intent = {
  name: "journal",
  reads: [asksJournal, rule("win ?rate|trades?|results|doing", "승률|매매|성과", "винрейт|сделк|результат")],
  spans: true,
  asked: ({ words }) => asksJournal.test(words),
  over: "all",
  plan: (reading) => [ask("get_journal_stats", daysOf(reading))],
  write: (_, found, { format, say }) => {
    const data = found.of("get_journal_stats")
    const n = format.count(data.num("n"))
    const days = format.count(data.num("days"))
    return {
      verdict: say(said.journal, {
        days,
        n,
        win: format.share(data.num("win_rate")),
        pnl: format.gainUsd(data.num("pnl_usd"))
      }) ?? say(said.journalFew, { days, n }),
      evidence: [
        say(said.expectancy, {
          r: format.fixed(data.num("expectancy_r"), 2),
          low: format.share(data.num("wilson_low")),
          high: format.share(data.num("wilson_high"))
        }),
        say(said.factor, {
          factor: format.fixed(data.num("profit_factor"), 2),
          win: format.fixed(data.num("average_win_r"), 2),
          loss: format.fixed(data.num("average_loss_r"), 2)
        })
      ],
      change: n === null ? null : say(said.journalChange, {})
    }
  },
  next
}

const tradesShown = 6

export const trades: Intent = {
  name: "trades",
  reads: [asksTrades, rule("trades?|history|fills", "매매|거래|내역", "сделк|истори")],
  spans: true,
  asked: ({ words }) => asksTrades.test(words),
  over: "all",
  plan: (reading) => [
    ask("get_trade_history", {
      ...daysOf(reading),
      ...(reading.named && reading.coins[0] !== undefined ? { coin: reading.coins[0] } : {}),
      top: tradesShown
    })
  ],
  write: (_, found, { format, lang, say }) => {
    const data = found.of("get_trade_history")
    const days = format.count(data.num("days"))
    const rows = data.list("trades").map((row) => ({
      coin: row.str("coin"),
      side: wordOf(lang, row.str("side")),
      entry: format.usd(row.num("entry")),
      exit: format.usd(row.num("exit")),
      pnl: format.gainUsd(row.num("pnl_usd")),
      date: format.date(row.str("closed_at"))
    }))
    const [first] = rows
    return {
      verdict: first === undefined
        ? say(said.noTrades, { days })
        : say(said.trades, { ...first, days, n: format.count(data.num("total")) }),
      evidence: rows.map((row) => say(said.trade, row)),
      change: first === undefined ? null : say(said.journalChange, {})
    }
  },
  next
}
