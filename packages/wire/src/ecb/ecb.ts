import { dayMs, type ExchangeRates, frankfurtOffset, hourMs, minuteMs, weekday } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Rates = ExchangeRates["Service"]

const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns an invented price of a euro in dollars, because the port has no euro rate. */
const usdPerEuro = (day: number): number => 1.08 + 0.001 * (day % 10)

const dimension = (id: string, values: ReadonlyArray<string>) => ({
  id,
  name: id,
  values: values.map((value) => ({ id: value, name: value }))
})

/** Serves the rates of working days; a weekend has no rate, and a holiday has an empty rate. */
const serveRates = Effect.fnUntraced(function*(rates: Rates, from: number, to: number): Effect.fn.Return<FakeResponse> {
  const now = yield* Clock.currentTimeMillis
  const dayRates: Array<{ readonly date: string; readonly usd: number; readonly krw: number | null }> = []
  for (let day = from; day <= to; day++) {
    const time = day * dayMs + (14 - frankfurtOffset(day)) * hourMs + 15 * minuteMs
    if (weekday(day) === 0 || weekday(day) === 6 || time + 2 * hourMs > now) continue
    const { value } = yield* Effect.orDie(rates.rate({ pair: "usd_krw", time }))
    const usd = usdPerEuro(day)
    dayRates.push({ date: dateOf(day), usd, krw: dateOf(day).endsWith("-11-11") ? null : value.rate * usd })
  }
  if (dayRates.length === 0) return { status: 404, body: "No results found for the requested query" }
  const observations = (getValue: (one: typeof dayRates[number]) => number | null) => ({
    observations: Object.fromEntries(dayRates.map((one, i) => [String(i), [getValue(one)]]))
  })
  return {
    body: {
      header: { id: "1", test: false, prepared: new Date(now).toISOString(), sender: { id: "ECB" } },
      dataSets: [{
        action: "Replace",
        validFrom: new Date(now).toISOString(),
        series: { "0:1:0:0:0": observations(({ usd }) => usd), "0:0:0:0:0": observations(({ krw }) => krw) }
      }],
      structure: {
        name: "Exchange Rates",
        dimensions: {
          series: [
            dimension("FREQ", ["D"]),
            dimension("CURRENCY", ["KRW", "USD"]),
            dimension("CURRENCY_DENOM", ["EUR"]),
            dimension("EXR_TYPE", ["SP00"]),
            dimension("EXR_SUFFIX", ["A"])
          ],
          observation: [dimension("TIME_PERIOD", dayRates.map(({ date }) => date))]
        }
      }
    }
  }
})

/** Creates a fake of the European Central Bank's data API with the rates of the dollar and the won against the euro. */
export const makeEcb = (rates: Rates): RequestHandler => ({ path, query }) => {
  const day = (name: string): number => Date.parse(query.get(name) ?? "") / dayMs
  const isRatesRequest = path === "/service/data/EXR/D.USD+KRW.EUR.SP00.A" && query.get("format") === "jsondata"
  return isRatesRequest ? serveRates(rates, day("startPeriod"), day("endPeriod")) : Effect.succeed(null)
}
