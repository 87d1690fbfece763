import { usageDimensions } from "@tapeline/core/engine"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PageQuery } from "./admin.ts"
import { AdminAuthorization, adminOperation } from "./authorization.ts"
import { MonthQuery, usageTotalFields } from "./meta.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"
import { wholeNumber } from "./wholeNumber.ts"

const maxId = 2 ** 31 - 1

const expectedDay = { expected: "a date in the form YYYY-MM-DD", expectedMessage: { key: "expected_date" } }

const isExistingDay = (text: string): boolean => {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
}

const day = (description: string) =>
  Schema.String.annotate({ description, format: "date" }).check(
    Schema.isPattern(/^2\d{3}-\d{2}-\d{2}$/u, expectedDay),
    Schema.makeFilter(isExistingDay, expectedDay)
  )

const dimension = `(${usageDimensions.join("|")})`

/** The query parameters of a usage report. */
export const UsageReportParameters = {
  ...MonthQuery,
  from: Schema.optionalKey(day("The first UTC day; by default, the first day with usage")),
  to: Schema.optionalKey(day("The last UTC day; by default, today")),
  account: Schema.optionalKey(wholeNumber(1, maxId, "Only the usage of this account")),
  key: Schema.optionalKey(wholeNumber(1, maxId, "Only the usage of this API key")),
  operation: Schema.optionalKey(
    Schema.String.annotate({ description: "Only this operation: a tool's name, or `agent.answer`" })
  ),
  group_by: Schema.optionalKey(
    Schema.String.annotate({
      description: `Any of \`${usageDimensions.join("`, `")}\`, separated by commas; by default \`account\`. ` +
        "`key` includes `account`, and `day` includes `month`. An empty text groups all usage into one line"
    }).check(
      Schema.isPattern(new RegExp(`^(${dimension}(,${dimension})*)?$`, "u"), {
        expectedMessage: { key: "expected_dimensions", params: { options: usageDimensions.join(", ") } }
      })
    )
  ),
  format: Schema.optionalKey(
    Schema.Literals(["json", "csv"]).annotate({
      description: "`csv` returns all lines at once. By default, the format that `accept` prefers"
    })
  ),
  cursor: Schema.optionalKey(
    Schema.String.annotate({ description: "The `next_cursor` of the previous page; the first page by default" })
  ),
  limit: PageQuery.limit
}

export const UsageCallerKind = Schema.Literals(["key", "session", "task", "unknown"])

export const UsageLineBody = Schema.Struct({
  account: Schema.optionalKey(Schema.Int),
  external_id: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({ description: "The account's external id; present with `account`" })
  ),
  month: Schema.optionalKey(Schema.String.annotate({ description: "YYYY-MM, UTC" })),
  day: Schema.optionalKey(
    Schema.NullOr(Schema.String).annotate({
      description: "YYYY-MM-DD, UTC; null for usage from before the service counted days"
    })
  ),
  caller: Schema.optionalKey(
    UsageCallerKind.annotate({
      description: "`key`: an API key; `session`: all sessions; `task`: all tasks; `unknown`: usage without a known day"
    })
  ),
  key: Schema.optionalKey(Schema.NullOr(Schema.Int).annotate({ description: "The key's id; null for other callers" })),
  key_name: Schema.optionalKey(Schema.NullOr(Schema.String)),
  operation: Schema.optionalKey(Schema.String.annotate({ description: "A tool's name, or `agent.answer`" })),
  ...usageTotalFields
}).annotate({
  identifier: "UsageLine",
  description: "The usage of one group. A dimension by which the report does not group is absent"
})

export const UsageReportBody = Schema.Struct({
  lines: Schema.Array(UsageLineBody),
  final: Schema.Boolean.annotate({
    description: "Whether the days are over and all their calls have ended, so that no amount can change"
  }),
  next_cursor: Schema.NullOr(Schema.String).annotate({
    description: "The cursor of the next page; null on the last page"
  })
}).annotate({ identifier: "UsageReport", description: "A page of a usage report" })

const UsageCsv = Schema.String.annotate({
  description: "The report as comma-separated values (RFC 4180), with a header row and the fields of a line",
  examples: ["account,external_id,calls,failed,credits\r\n2,customer-17,120,3,340\r\n"]
}).pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

/** The admin endpoint that reports the usage of all accounts, for billing. */
export const usageReportGroup = HttpApiGroup.make("usageReport")
  .add(
    HttpApiEndpoint.get("usageReport", "/admin/v1/usage", {
      query: UsageReportParameters,
      success: [UsageReportBody, UsageCsv],
      error: problemSchemas("invalid_arguments")
    }).annotateMerge(
      adminOperation("read", {
        identifier: "usageReport",
        summary: "Report usage",
        description:
          "Returns the calls and credits of all accounts, or of one, in any grouping: of a `month`, of the days `from` " +
          "to `to`, or of the current month. A call counts on the UTC day on which it began. The credits of all lines " +
          "of a month add up to the credits that the accounts used in the month. A reader that follows `next_cursor` " +
          "gets each group once, even while calls end."
      })
    )
  )
  .middleware(RejectUnknownQuery)
  .middleware(AdminAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Usage of all accounts. Requires the admin token.")
