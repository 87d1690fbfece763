import { dayMs, hourMs, isTradingDay, type MacroCalendar, newYorkOffset } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { AutoAdvancingClock } from "../server/AutoAdvancingClock.ts"
import type { RequestHandler } from "../server/FakeServer.ts"

type Calendar = MacroCalendar["Service"]

const elementOf = (tenor: string): string => `BC_${tenor.slice(0, -1)}${tenor.endsWith("M") ? "MONTH" : "YEAR"}`

/** Returns a feed entry with a yield curve. The feed entry also contains other elements, which no client reads. */
const entryOf = (date: string, id: number, yields: ReadonlyArray<readonly [element: string, pct: number | null]>) =>
  `<entry><id>http://data.treasury.gov/Feed.svc/DailyTreasuryYieldCurveRateData(${id})</id>
<title type="text"></title><updated>${date}T23:00:00Z</updated><author><name /></author>
<content type="application/xml"><m:properties><d:Id m:type="Edm.Int32">${id}</d:Id>
<d:NEW_DATE m:type="Edm.DateTime">${date}T00:00:00</d:NEW_DATE>
${
    yields.map(([element, pct]) =>
      pct === null
        ? `<d:${element} m:type="Edm.Double" m:null="true" />`
        : `<d:${element} m:type="Edm.Double">${pct}</d:${element}>`
    ).join("\n")
  }
</m:properties></content></entry>`

const feedOf = (entries: ReadonlyArray<string>): string =>
  `<?xml version="1.0" encoding="utf-8" standalone="yes" ?>
<feed xml:base="http://data.treasury.gov/Feed.svc/" xmlns:d="http://schemas.microsoft.com/ado/2007/08/dataservices"
 xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns="http://www.w3.org/2005/Atom">
<title type="text">DailyTreasuryYieldCurveRateData</title>
<id>http://data.treasury.gov/Feed.svc/DailyTreasuryYieldCurveRateData</id>
${entries.join("\n")}
</feed>`

/** Creates a fake of the US Treasury's yield curves. A curve is quoted at 15:30 in New York and published by 18:00. */
export const makeTreasuryYields = (calendar: Calendar): RequestHandler => ({ path, query }) => {
  const month = /^(\d{4})(\d\d)$/u.exec(query.get("field_tdr_date_value_month") ?? "")
  if (
    path !== "/resource-center/data-chart-center/interest-rates/pages/xml" || month === null
    || query.get("data") !== "daily_treasury_yield_curve"
  ) return Effect.succeed(null)
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const entries: Array<string> = []
    const [year, nth] = [Number(month[1]), Number(month[2])]
    for (let day = Date.UTC(year, nth - 1, 1) / dayMs; day < Date.UTC(year, nth, 1) / dayMs; day++) {
      const time = day * dayMs + (15.5 + newYorkOffset(day)) * hourMs
      if (!isTradingDay("US", day) || time + 2.5 * hourMs > now) continue
      const { value } = yield* Effect.orDie(calendar.yieldCurve("US")).pipe(
        Effect.provideService(Clock.Clock, new AutoAdvancingClock(time, []))
      )
      const yields = value.points.map(({ tenor, yieldPct }) =>
        [elementOf(tenor), Math.round(100 * yieldPct) / 100] as const
      )
      const date = new Date(day * dayMs).toISOString().slice(0, 10)
      entries.push(entryOf(date, day, [...yields, ["BC_4MONTH", null], ["BC_30YEARDISPLAY", 0]]))
    }
    return { headers: { "content-type": "application/xml; charset=utf-8" }, body: feedOf(entries) }
  })
}
