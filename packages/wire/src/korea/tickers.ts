import type { KrwTicker } from "@tapeline/core/market"
import { koreanOffsetMs } from "./candles.ts"

const dateAndTime = (time: number) => {
  const [date = "", rest = ""] = new Date(time).toISOString().split("T")
  return { date: date.replaceAll("-", ""), time: rest.slice(0, 8).replaceAll(":", "") }
}

/** Returns a ticker in the format of Upbit and Bithumb, with placeholders for fields that the port does not have. */
export const toTickerRow = ({ coin, krwPrice, time, volume24hKrw }: KrwTicker) => {
  const [utc, kst] = [dateAndTime(time), dateAndTime(time + koreanOffsetMs)]
  return {
    market: `KRW-${coin}`,
    trade_date: utc.date,
    trade_time: utc.time,
    trade_date_kst: kst.date,
    trade_time_kst: kst.time,
    trade_timestamp: time,
    opening_price: krwPrice,
    high_price: krwPrice,
    low_price: krwPrice,
    trade_price: krwPrice,
    prev_closing_price: krwPrice,
    change: "EVEN",
    change_price: 0,
    change_rate: 0,
    signed_change_price: 0,
    signed_change_rate: 0,
    trade_volume: 1,
    acc_trade_price: volume24hKrw / 2,
    acc_trade_price_24h: volume24hKrw,
    acc_trade_volume: volume24hKrw / krwPrice / 2,
    acc_trade_volume_24h: volume24hKrw / krwPrice,
    highest_52_week_price: krwPrice,
    highest_52_week_date: "2026-01-15",
    lowest_52_week_price: krwPrice,
    lowest_52_week_date: "2026-01-15",
    timestamp: time
  }
}
