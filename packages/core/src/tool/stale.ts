import { minuteMs } from "../market/timeframe.ts"

/** What lags behind the newest of its kind by more is told. */
const staleMs = 10 * minuteMs

/** The coins whose prices lag behind the newest one. */
export const staleAmong = (
  tickers: ReadonlyArray<{ readonly coin: string; readonly time: number }>
): ReadonlyArray<string> => {
  const newest = Math.max(...tickers.map(({ time }) => time))
  return tickers.filter(({ time }) => time < newest - staleMs).map(({ coin }) => coin)
}

/** The note on them, if there are any. */
export const staleNotes = (coins: ReadonlyArray<string>): ReadonlyArray<string> =>
  coins.length === 0 ? [] : [`Prices that lag by more than 10 minutes: ${coins.join(", ")}.`]
