import { dayMs, SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { EdgarArchives } from "../sources/edgar/EdgarArchives.ts"
import { EdgarData } from "../sources/edgar/EdgarData.ts"
import { BeaSchedule } from "../sources/macro/BeaSchedule.ts"
import { BlsSchedule } from "../sources/macro/BlsSchedule.ts"
import { Ecos } from "../sources/macro/Ecos.ts"
import type { EventSource } from "../sources/macro/eventSource.ts"
import { FedCalendar } from "../sources/macro/FedCalendar.ts"
import { TreasuryAuctions } from "../sources/macro/TreasuryAuctions.ts"
import { TreasuryYields } from "../sources/macro/TreasuryYields.ts"
import { OpenDart } from "../sources/openDart/OpenDart.ts"
import type { Probe } from "./question.ts"

/** Companies that are likely to stay listed: Apple, Samsung Electronics. */
const apple = "AAPL"
const samsung = "005930"

const notListed = new SourceUnavailable({
  source: "edgar",
  failure: "malformed",
  reason: `its list of companies lacks ${apple}`,
  retryable: false
})

const edgarProbes = Effect.gen(function*() {
  const [archives, data] = yield* Effect.all([EdgarArchives, EdgarData])
  /** Runs a request with Apple's CIK number from the list of companies. */
  const ofApple = <A>(ask: (cik: number) => Effect.Effect<A, SourceUnavailable>) =>
    Effect.flatMap(archives.registrants, ({ value }) => {
      const cik = value.find(({ symbol }) => symbol === apple)?.cik
      return cik === undefined ? Effect.fail(notListed) : ask(cik)
    })
  const form4 = ofApple(Effect.fnUntraced(function*(cik) {
    const { value } = yield* data.submissions(cik)
    const newest = value.find(({ form }) => form === "4")
    if (newest === undefined) return 0
    const { value: { ownershipDocument } } = yield* archives.form4(cik, newest)
    return ownershipDocument.reportingOwner.length
  }))
  const probes: ReadonlyArray<Probe> = [
    { source: "edgar", what: "tickers", ask: Effect.map(archives.registrants, ({ value }) => value.length) },
    {
      source: "edgar",
      what: "submissions",
      ask: Effect.map(ofApple(data.submissions), ({ value }) => value.length)
    },
    { source: "edgar", what: "form 4", ask: form4 },
    {
      source: "edgar",
      what: "company facts",
      ask: Effect.map(ofApple(data.facts), ({ value }) => Object.keys(value?.flows ?? {}).length)
    }
  ]
  return probes
})

/** The probes of regulators, central banks and statistical offices. */
export const askedOfOffices = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const [treasury, ecos, dart] = yield* Effect.all([TreasuryYields, Ecos, OpenDart])
  const month = { from: now - 30 * dayMs, to: now }
  const date = new Date(month.from)
  const calendars: ReadonlyArray<readonly [source: string, what: string, events: EventSource]> = [
    ["us_treasury", "auctions", yield* TreasuryAuctions],
    ["federal_reserve", "calendar", yield* FedCalendar],
    ["bls", "release schedule", yield* BlsSchedule],
    ["bea", "release dates", yield* BeaSchedule]
  ]
  const probes: ReadonlyArray<Probe> = [
    ...(yield* edgarProbes),
    ...calendars.map(([source, what, { events }]): Probe => ({
      source,
      what,
      ask: Effect.map(events(month), ({ value }) => value.length)
    })),
    {
      source: "us_treasury",
      what: "yield curves",
      ask: Effect.map(treasury.month(date.getUTCFullYear(), date.getUTCMonth() + 1), ({ value }) => value.length)
    },
    { source: "ecos", what: "bond yields", ask: Effect.map(ecos.yields(month), ({ value }) => value.length) },
    { source: "ecos", what: "base rate", ask: Effect.map(ecos.baseRate(month), ({ value }) => value.length) },
    { source: "opendart", what: "companies", ask: Effect.map(dart.companies, ({ value }) => value.size) },
    {
      source: "opendart",
      what: "filings",
      ask: Effect.flatMap(dart.companies, ({ value }) =>
        Effect.map(
          dart.page({ corpCode: value.get(samsung)?.corpCode ?? "", ...month, page: 1 }),
          (page) => page.value.filings.length
        ))
    }
  ]
  return probes
})
