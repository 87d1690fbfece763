/**
 * Provides auctions of US government securities, which are announced a week ahead, from the Treasury's Fiscal Data API.
 */
import { dayMs, type EconomicEvent } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema, SchemaTransformation } from "effect"
import {
  contactHeaders,
  type EventSource,
  type EventSourceOptions,
  makeUsDateEvent,
  makeUsEvent,
  newYorkTime
} from "../macro/EventSource.ts"
import { DateText, Decimal, makeSource, Name, SourceHealth, withValue } from "../source/index.ts"

export class TreasuryAuctions
  extends Context.Service<TreasuryAuctions, EventSource>()("@tapeline/market-live/TreasuryAuctions")
{}

/** Decodes the word "null", which the API sends for a missing value. */
const NullText = Schema.Literal("null").pipe(
  Schema.decodeTo(Schema.Null, SchemaTransformation.transform({ decode: () => null, encode: () => "null" as const }))
)
const timePattern = /^(\d\d):(\d\d) (AM|PM)$/u

const Auctions = Schema.Struct({
  data: Schema.Array(Schema.Struct({
    auction_date: DateText,
    security_type: Schema.Literals([
      "Bill",
      "Note",
      "Bond",
      "CMB",
      "TIPS",
      "FRN",
      "TIPS Note",
      "TIPS Bond",
      "FRN Note"
    ]),
    security_term: Name,
    original_security_term: Schema.Union([NullText, Name]),
    inflation_index_security: Schema.Union([NullText, Schema.Literals(["Yes", "No"])]),
    floating_rate: Schema.Union([NullText, Schema.Literals(["Yes", "No"])]),
    closing_time_comp: Schema.Union([
      NullText,
      Schema.String.check(Schema.isPattern(timePattern, { expected: "a time of the day" }))
    ]),
    high_yield: Schema.Union([NullText, Decimal]),
    high_investment_rate: Schema.Union([NullText, Decimal])
  })),
  meta: Schema.Struct({ "total-pages": Schema.Literals([0, 1]) })
})
type Auction = (typeof Auctions.Type)["data"][number]

const fields = [
  "auction_date",
  "security_type",
  "security_term",
  "original_security_term",
  "inflation_index_security",
  "floating_rate",
  "closing_time_comp",
  "high_yield",
  "high_investment_rate"
]

/**
 * Returns the usual name of an auction. A bill is named by its remaining term (`4-Week Bill`), and a note by its
 * original term (`10-Year Note`).
 */
const auctionName = (auction: Auction): string => {
  const isBill = auction.security_type === "Bill" || auction.security_type === "CMB"
  const term = isBill ? auction.security_term : auction.original_security_term ?? auction.security_term
  const kind = auction.inflation_index_security === "Yes"
    ? "TIPS"
    : auction.floating_rate === "Yes"
    ? "FRN"
    : auction.security_type
  return `${term} ${kind} Auction`
}

const hoursOf = (text: string | null): number | undefined => {
  const [, hours, minutes, half] = timePattern.exec(text ?? "") ?? []
  return hours === undefined ? undefined : Number(hours) % 12 + (half === "PM" ? 12 : 0) + Number(minutes) / 60
}

/**
 * Returns the yield at which a security was sold. The yield of a bill is the bond-equivalent yield. The yield of a
 * floating-rate note is null.
 */
const yieldOf = ({ floating_rate, high_investment_rate, high_yield }: Auction): number | null =>
  floating_rate === "Yes" ? null : high_yield ?? high_investment_rate

const toEvent = (auction: Auction, previousAuction: Auction | undefined): EconomicEvent => {
  const name = auctionName(auction)
  const importance = /^(2|5|7|10|20|30)-Year (Note|Bond) /u.test(name) ? "medium" : "low"
  const hours = hoursOf(auction.closing_time_comp)
  const event = hours === undefined
    ? makeUsDateEvent(auction.auction_date, name, importance)
    : makeUsEvent(newYorkTime(auction.auction_date, hours), name, importance)
  const previous = previousAuction === undefined ? null : yieldOf(previousAuction)
  return { ...event, unit: "%", previous, actual: yieldOf(auction) }
}

/** The period for which auctions are requested, to find the previous auction of the same kind. */
const lookbackMs = 190 * dayMs
const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The Treasury publishes no rate limit. */
const limits = [{ weight: 30, windowMs: 60_000 }]

export const layerTreasuryAuctions = (
  { baseUrl = "https://api.fiscaldata.treasury.gov", contact, retryPolicy = {} }: EventSourceOptions = {}
): Layer.Layer<TreasuryAuctions, never, SourceHealth> =>
  Layer.effect(
    TreasuryAuctions,
    Effect.map(
      makeSource({
        name: "us_treasury",
        part: "auctions",
        baseUrl,
        limits,
        headers: contactHeaders(contact),
        retryPolicy
      }),
      (source): EventSource => ({
        events: ({ from, to }) =>
          Effect.map(
            source.json({
              label: "auctions",
              path: "/services/api/fiscal_service/v1/accounting/od/auctions_query",
              query: {
                fields: fields.join(","),
                filter: `auction_date:gte:${dateOf(from - lookbackMs)},auction_date:lte:${dateOf(to)}`,
                sort: "auction_date",
                "page[number]": 1,
                "page[size]": 2_000
              },
              schema: Auctions,
              cacheMs: 600_000
            }),
            (answer) => {
              const newest = new Map<string, Auction>()
              const events = answer.value.data.toSorted((a, b) => a.auction_date - b.auction_date).map((auction) => {
                const event = toEvent(auction, newest.get(auctionName(auction)))
                newest.set(auctionName(auction), auction)
                return event
              })
              return withValue(answer, events)
            }
          )
      })
    )
  )
