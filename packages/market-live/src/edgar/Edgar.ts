import { dayMs, type EquityMarkets, makeReading, NoData, type Stock, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Context, Effect, Layer } from "effect"
import { ratiosOf } from "../equities/ratios.ts"
import { unreadableRow } from "../source/index.ts"
import { EdgarArchives, marketSymbol, type Registrant } from "./EdgarArchives.ts"
import { EdgarData } from "./EdgarData.ts"
import { edgarName } from "./edgarSource.ts"
import { toInsiderTrades } from "./insiderTrades.ts"
import { deriveStatements } from "./statements.ts"

type Port = EquityMarkets["Service"]

/**
 * Implements the part of `EquityMarkets` that EDGAR, the filing system of the US regulator, provides. EDGAR has no
 * prices, share counts, sectors or listing dates.
 */
export class Edgar extends Context.Service<Edgar, Pick<Port, "stocks" | "stock" | "fundamentals" | "insiderTrades">>()(
  "@tapeline/market-live/Edgar"
) {}

const toStock = ({ exchange, name, symbol }: Registrant): Stock => ({
  symbol,
  name,
  koreanName: null,
  country: "US",
  exchange,
  currency: "USD",
  sector: null,
  sharesOutstanding: null,
  listedAt: null,
  delistedAt: null
})

const insiderForm = /^4(\/A)?$/u

const make = Effect.gen(function*() {
  const archives = yield* EdgarArchives
  const data = yield* EdgarData

  const findRegistrant = Effect.fnUntraced(function*(symbol: string) {
    const { skippedRows = [], receivedAt, value } = yield* archives.registrants
    const registrant = value.find((one) => one.symbol === symbol)
    if (registrant !== undefined) return { registrant, receivedAt }
    // If an unreadable row has this ticker, the symbol may exist, so the error is not `UnknownSymbol`.
    return yield* skippedRows.some((row) => marketSymbol(row) === symbol)
      ? unreadableRow(edgarName, symbol)
      : new UnknownSymbol({ symbol })
  })

  return Edgar.of({
    stocks: Effect.fnUntraced(function*(country) {
      if (country !== "US") return makeReading<ReadonlyArray<Stock>>([], edgarName, yield* Clock.currentTimeMillis)
      const { receivedAt, value } = yield* archives.registrants
      return makeReading(value.map(toStock), edgarName, receivedAt)
    }),

    stock: (symbol) =>
      Effect.map(
        findRegistrant(symbol),
        ({ receivedAt, registrant }) => makeReading(toStock(registrant), edgarName, receivedAt)
      ),

    fundamentals: Effect.fnUntraced(function*(symbol) {
      const { registrant: { cik } } = yield* findRegistrant(symbol)
      const [facts, submissions] = yield* Effect.all([data.facts(cik), data.submissions(cik)], { concurrency: 2 })
      const now = yield* Clock.currentTimeMillis
      const accepted = new Map(submissions.value.map(({ accession, filedAt }) => [accession, filedAt]))
      const { quarters, years } = facts.value === null
        ? { quarters: [], years: [] }
        : deriveStatements(facts.value, (accession) => accepted.get(accession), now)
      const reported = [...quarters, ...years].map(({ reportedAt }) => reportedAt)
      if (reported.length === 0) {
        return yield* new NoData({
          subject: `${symbol} fundamentals`,
          reason: { key: "none_recorded", params: { symbol } }
        })
      }
      const value = { symbol, currency: "USD", years, quarters, ratios: ratiosOf(quarters) }
      return makeReading(value, edgarName, Math.max(...reported))
    }),

    insiderTrades: Effect.fnUntraced(function*({ days, symbol }) {
      const { registrant: { cik } } = yield* findRegistrant(symbol)
      const submissions = yield* data.submissions(cik)
      const now = yield* Clock.currentTimeMillis
      const filed = submissions.value.filter(({ document, filedAt, form }) =>
        insiderForm.test(form) && document !== "" && filedAt > now - days * dayMs && filedAt <= now
      )
      const forms = yield* Effect.forEach(
        filed,
        (submission) =>
          Effect.map(archives.form4(cik, submission), ({ value }) => ({ form: value, filedAt: submission.filedAt })),
        { concurrency: 4 }
      )
      const trades = toInsiderTrades(forms, cik)
      return makeReading(trades, edgarName, trades.at(-1)?.filedAt ?? submissions.receivedAt)
    })
  })
})

export const layerEdgar: Layer.Layer<Edgar, never, EdgarArchives | EdgarData> = Layer.effect(Edgar, make)
