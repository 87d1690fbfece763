import {
  EraseAccount,
  ErasureBody,
  exportMediaType,
  servedAccountDataApi,
  servedAdminAccountDataApi,
  SignedInCaller,
  TooManyStreams,
  UnknownAddress
} from "@tapeline/api"
import {
  AccountData,
  type ErasureReport,
  type ExportLine,
  formatMessage,
  InvalidArguments,
  type StoreUnavailable
} from "@tapeline/core"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { requireRecentSignIn } from "../callers/recentSignIn.ts"
import { currentRequestContext } from "../requestContext.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { nodeResponseOf } from "../streaming/nodeResponse.ts"
import { makeOpenExports, maxOpenExports } from "../streaming/openExports.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { iso, isoOrNull } from "./responseBodies.ts"

/** Responds with an export. If the store fails during the export, the response ends without its last line. */
const respondExport = (lines: Stream.Stream<ExportLine, StoreUnavailable>) =>
  HttpServerResponse.stream(Stream.encodeText(Stream.map(lines, (line) => `${JSON.stringify(line)}\n`)), {
    contentType: exportMediaType,
    headers: { "cache-control": "no-store" }
  })

const erasureBody = (report: ErasureReport): typeof ErasureBody.Type => ({
  account: report.account,
  state: report.finishedAt === null ? "running" : "finished",
  requested_at: iso(report.requestedAt),
  requested_by: report.requestedBy,
  finished_at: isoOrNull(report.finishedAt),
  leaves_backups_at: isoOrNull(report.leavesBackupsAt),
  kinds: report.kinds
})

const readEraseAccount = makeBodyReader(EraseAccount)
const respondErasure = makeJsonResponder(ErasureBody)

const invalidConfirmation = Effect.flatMap(currentRequestContext, ({ language }) => {
  const expected = formatMessage({ key: "expected_erasure_confirmation" }, language)
  const message = formatMessage({ key: "issue_expected", params: { expected } }, language)
  return Effect.fail(new InvalidArguments({ count: 1, issues: [{ path: ["confirm"], message }] }))
})

export const layerAdminAccountData = HttpApiBuilder.group(
  servedAdminAccountDataApi,
  "adminAccountData",
  Effect.fnUntraced(function*(handlers) {
    const [accountData, changes] = yield* Effect.all([AccountData, makeAdminChanges])
    return handlers
      .handleRaw(
        "exportAccount",
        makeOperation(({ params: { id } }) => Effect.map(accountData.export(id, "operator"), respondExport))
      )
      .handleRaw(
        "eraseAccount",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readEraseAccount(request)
          const change = accountData.erase(params.id, body.confirm).pipe(
            Effect.catchTag("ErasureNotConfirmed", () => invalidConfirmation),
            Effect.map(erasureBody)
          )
          return yield* respondErasure(
            yield* changes.run({ operation: "eraseAccount", request: { ...params, body }, headers, change })
          )
        }))
      )
      .handleRaw(
        "accountErasure",
        makeOperation(({ params }) =>
          Effect.flatMap(
            accountData.erasure(params.id),
            (report) => report === null ? Effect.fail(new UnknownAddress()) : respondErasure(erasureBody(report))
          )
        )
      )
  })
)

const exportsFull = { max: maxOpenExports, limit: maxOpenExports, remaining: 0, resetMs: 30_000 }

/** The time in ms after which an export of a user ends if its reader receives nothing. */
const maxExportStallMs = 60_000

export const layerAccountData = HttpApiBuilder.group(
  servedAccountDataApi,
  "accountData",
  Effect.fnUntraced(function*(handlers) {
    const accountData = yield* AccountData
    const openExports = makeOpenExports(maxExportStallMs)
    return handlers.handleRaw(
      "exportOwnAccount",
      makeOperation(Effect.fnUntraced(function*({ request }) {
        const { account } = yield* SignedInCaller
        yield* requireRecentSignIn
        const response = nodeResponseOf(request)
        if (openExports.isFull(account)) return yield* new TooManyStreams(exportsFull)
        if (response !== undefined) openExports.add(account, response)
        const lines = yield* Effect.catchTag(accountData.export(account, "owner"), "UnknownAccount", Effect.die)
        return respondExport(lines)
      }))
    )
  })
)
