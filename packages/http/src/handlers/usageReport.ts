import { servedAdministrationApi, UsageLineBody, UsageReportBody, type UsageReportParameters } from "@tapeline/api"
import {
  dayOf,
  formatMessage,
  InvalidArguments,
  Ledger,
  type Message,
  monthEnd,
  monthOf,
  type UsageDimension,
  type UsageLine,
  type UsagePosition,
  type UsageReport,
  type UsageReportQuery,
  usageStart
} from "@tapeline/core"
import { groupedDimensions } from "@tapeline/core/engine"
import { Clock, Effect, Option, Schema, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { preferredType } from "../cachedResponse.ts"
import { csvLine } from "../csv.ts"
import { currentRequestContext } from "../requestContext.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"

type Parameters = Schema.Struct<typeof UsageReportParameters>["Type"]
type UsageLineFields = typeof UsageLineBody.Type

const respondReport = makeJsonResponder(UsageReportBody)

const defaultPageSize = 100
/** The number of lines that a CSV report reads from the store at once. */
const csvPageSize = 1_000

const dayMs = 86_400_000
const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

const Position = Schema.fromJsonString(
  Schema.Tuple([Schema.Int, Schema.Int, Schema.Int, Schema.Int, Schema.String])
)
const encodeCursor = (position: UsagePosition): string => Buffer.from(JSON.stringify(position)).toString("base64url")
const decodePosition = Schema.decodeUnknownOption(Position)
const decodeCursor = (cursor: string): Option.Option<UsagePosition> =>
  decodePosition(Buffer.from(cursor, "base64url").toString())

const invalid = (name: string, expected: Message) =>
  Effect.flatMap(currentRequestContext, ({ language }) => {
    const message = formatMessage(
      { key: "issue_expected", params: { expected: formatMessage(expected, language) } },
      language
    )
    return Effect.fail(new InvalidArguments({ count: 1, issues: [{ path: [name], message }] }))
  })

/** Returns the first and the last day of the requested report, as the starts of the days in epoch ms. */
const readDays = Effect.fnUntraced(function*({ from, month, to }: Parameters) {
  const now = yield* Clock.currentTimeMillis
  if (month !== undefined && (from !== undefined || to !== undefined)) {
    return yield* invalid("month", { key: "expected_month_or_days" })
  }
  if (from === undefined && to === undefined) {
    const requested = month ?? monthOf(now)
    return { from: Date.parse(`${requested}-01`), to: monthEnd(requested) - dayMs }
  }
  const days = {
    from: from === undefined ? 0 : Date.parse(from),
    to: to === undefined ? dayOf(now) : Date.parse(to)
  }
  return days.from > days.to ? yield* invalid("to", { key: "expected_days_in_order" }) : days
})

const toFields = (groupBy: ReadonlyArray<UsageDimension>) => {
  const grouped = groupedDimensions(groupBy)
  return ({ account, caller, calls, credits, day, failed, month, operation }: UsageLine): UsageLineFields => ({
    ...(account === null ? {} : { account: account.id, external_id: account.externalId }),
    ...(month === null ? {} : { month }),
    ...(grouped.day ? { day: day === null ? null : toDay(day) } : {}),
    ...(caller === null ? {} : {
      caller: caller.kind,
      key: caller.kind === "key" ? caller.key : null,
      key_name: caller.kind === "key" ? caller.name : null
    }),
    ...(operation === null ? {} : { operation }),
    calls,
    failed,
    credits
  })
}

/** The names of the columns of a CSV report, in the order of the fields of a line. */
const columnsOf = (groupBy: ReadonlyArray<UsageDimension>): ReadonlyArray<string> => {
  const grouped = groupedDimensions(groupBy)
  return [
    ...(grouped.account ? ["account", "external_id"] : []),
    ...(grouped.month ? ["month"] : []),
    ...(grouped.day ? ["day"] : []),
    ...(grouped.key ? ["caller", "key", "key_name"] : []),
    ...(grouped.operation ? ["operation"] : []),
    "calls",
    "failed",
    "credits"
  ]
}

/** The handler of usage reports. */
export const layerUsageReport = HttpApiBuilder.group(
  servedAdministrationApi,
  "usageReport",
  Effect.fnUntraced(function*(handlers) {
    const ledger = yield* Ledger

    /** Returns all lines as a stream of CSV text, which reads one page after another. */
    const respondCsv = Effect.fnUntraced(function*(query: UsageReportQuery) {
      const { groupBy } = query
      const readPage = (after: UsagePosition) => ledger.usageReport({ ...query, after, limit: csvPageSize })
      const toText = ({ lines }: UsageReport): string =>
        lines.map(toFields(groupBy)).map((fields) => csvLine(Object.values(fields))).join("")
      const nextPosition = ({ lines }: UsageReport) =>
        lines.length < csvPageSize ? Option.none<UsagePosition>() : Option.some(lines.at(-1)!.position)
      // The first page is read before the response begins, so a failure of the store is a 503.
      const first = yield* readPage(usageStart)
      const rest = Option.match(nextPosition(first), {
        onNone: () => Stream.empty,
        onSome: (start) =>
          Stream.paginate(
            start,
            (after) => Effect.map(readPage(after), (page) => [[toText(page)], nextPosition(page)] as const)
          )
      })
      return HttpServerResponse.stream(
        Stream.encodeText(Stream.concat(Stream.make(csvLine(columnsOf(groupBy)) + toText(first)), rest)),
        { contentType: "text/csv; charset=utf-8; header=present" }
      )
    })

    const respondJson = Effect.fnUntraced(function*(query: UsageReportQuery) {
      const { isFinal, lines } = yield* ledger.usageReport({ ...query, limit: query.limit + 1 })
      const page = lines.slice(0, query.limit)
      return yield* respondReport({
        lines: page.map(toFields(query.groupBy)),
        final: isFinal,
        next_cursor: lines.length > query.limit ? encodeCursor(page.at(-1)!.position) : null
      })
    })

    return handlers.handleRaw(
      "usageReport",
      makeOperation(Effect.fnUntraced(function*({ query: parameters, request }) {
        const { account, cursor, format, group_by, key, limit, operation } = parameters
        const days = yield* readDays(parameters)
        const after = cursor === undefined ? Option.some(usageStart) : decodeCursor(cursor)
        if (Option.isNone(after)) return yield* invalid("cursor", { key: "expected_cursor" })
        const query: UsageReportQuery = {
          ...days,
          account,
          key,
          operation,
          // The schema of the parameter accepts only dimensions.
          groupBy: (group_by ?? "account").split(",").filter((name): name is UsageDimension => name !== ""),
          after: after.value,
          limit: limit ?? defaultPageSize
        }
        const type = format === undefined
          ? preferredType(request.headers["accept"], ["application/json", "text/csv"])
          : format
        if (type !== "csv" && type !== "text/csv") return yield* respondJson(query)
        if (cursor !== undefined || limit !== undefined) {
          return yield* invalid(cursor === undefined ? "limit" : "cursor", { key: "expected_no_pages" })
        }
        return yield* respondCsv(query)
      }))
    )
  })
)
