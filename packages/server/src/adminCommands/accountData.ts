import type { ErasureBody } from "@tapeline/api"
import { Console, Effect, FileSystem, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpClientResponse } from "effect/http"
import { once } from "node:events"
import { type AdminClient, CommandFailed, withAdminClient } from "../adminClient.ts"
import { account, CommandEnvironment, idempotencyKey, Problem, runAdminCommand, toHeaders } from "./common.ts"

const failed = (reason: string) => new CommandFailed({ reason })

/** Checks the lines of an export while its bytes pass, without keeping more than one line. */
class ExportCheck {
  #lines = 0
  #line = ""
  #last = ""
  readonly #decoder = new TextDecoder()

  add(bytes: Uint8Array): void {
    const parts = (this.#line + this.#decoder.decode(bytes, { stream: true })).split("\n")
    this.#line = parts.pop()!
    this.#lines += parts.length
    this.#last = parts.at(-1) ?? this.#last
  }

  /** Returns the problem of the export; undefined if it is complete. */
  findProblem(): string | undefined {
    const incomplete = "The export is incomplete: its last line is missing. Repeat the command."
    if (this.#line !== "") return incomplete
    try {
      const { kind, lines } = JSON.parse(this.#last)
      if (kind !== "end") return incomplete
      return lines === this.#lines ? undefined : `The export is damaged: ${this.#lines} lines instead of ${lines}.`
    } catch {
      return incomplete
    }
  }
}

const failedWrite = (error: unknown) => failed(`The export cannot be written: ${String(error)}`)

type Write = (bytes: Uint8Array) => Effect.Effect<void, CommandFailed>

const writeToStandardOutput: Write = (bytes) =>
  Effect.tryPromise({
    try: async (signal) => {
      if (!process.stdout.write(bytes)) await once(process.stdout, "drain", { signal })
    },
    catch: failedWrite
  })

/** Opens a file that must not exist. Only the user of the process can read the file. */
const openNewFile = Effect.fnUntraced(function*(path: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return yield* fileSystem.open(path, { flag: "wx", mode: 0o600 })
}, (opened, path) =>
  Effect.mapError(opened, (error) =>
    failed(
      error.reason._tag === "AlreadyExists"
        ? `The file ${path} exists. Choose another file, or remove it.`
        : `The file ${path} cannot be created: ${error.message}`
    )))

const copyExport = Effect.fnUntraced(function*(client: AdminClient, id: number, write: Write) {
  const response = yield* client.exportAccount({ params: { id }, responseMode: "response-only" })
  if (response.status !== 200) {
    const { detail } = yield* HttpClientResponse.schemaBodyJson(Problem)(response)
    return yield* failed(`${response.status}: ${detail}`)
  }
  const check = new ExportCheck()
  yield* Stream.runForEach(response.stream, (bytes) => {
    check.add(bytes)
    return write(bytes)
  }).pipe(Effect.catchTag("HttpClientError", () => Effect.void))
  const problem = check.findProblem()
  if (problem !== undefined) return yield* failed(problem)
})

const exportCommand = Command.make(
  "export",
  {
    account,
    output: Flag.String("output").pipe(
      Flag.withDescription("A new file for the export; default: the standard output"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function*({ account, output }) {
    const environment = yield* CommandEnvironment
    const run = (write: Write) => withAdminClient(environment, (client) => copyExport(client, account, write))
    if (Option.isNone(output)) return yield* run(writeToStandardOutput)
    const path = output.value
    const file = yield* openNewFile(path)
    // An incomplete file is removed, because it could be mistaken for the account's data.
    yield* run((bytes) => Effect.mapError(file.writeAll(bytes), failedWrite)).pipe(
      Effect.andThen(Effect.mapError(file.sync, failedWrite)),
      Effect.tapCause(() =>
        Effect.flatMap(FileSystem.FileSystem, (fileSystem) => Effect.ignore(fileSystem.remove(path)))
      )
    )
    yield* Console.log(`Exported account ${account} to ${path}.`)
  }, Effect.scoped)
).pipe(Command.withDescription("Export all data of an account as JSON Lines, and check that the export is complete"))

type Report = typeof ErasureBody.Type

const omitEmptyKinds = (report: Report): Report => ({
  ...report,
  kinds: report.kinds.filter(({ deleted, kept }) => deleted + kept > 0)
})

const pollIntervalMs = 1_000

const eraseCommand = Command.make(
  "erase",
  {
    account,
    confirm: Flag.String("confirm").pipe(
      Flag.withDescription("The account's external id, or its name if it has none. An erasure cannot be undone")
    ),
    noWait: Flag.Boolean("no-wait").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Return before the erasure has finished")
    ),
    idempotencyKey
  },
  ({ account, confirm, idempotencyKey, noWait }) =>
    runAdminCommand(Effect.fnUntraced(function*(client) {
      const params = { id: account }
      let report = yield* client.eraseAccount({ params, headers: toHeaders(idempotencyKey), payload: { confirm } })
      if (noWait) return omitEmptyKinds(report)
      while (report.state === "running") {
        yield* Effect.sleep(pollIntervalMs)
        report = yield* client.accountErasure({ params })
      }
      return omitEmptyKinds(report)
    }))
).pipe(Command.withDescription("Close an account and erase its personal data, and print the report"))

const erasureCommand = Command.make(
  "erasure",
  { account },
  ({ account }) => runAdminCommand((client) => client.accountErasure({ params: { id: account } }))
).pipe(Command.withDescription("Show the report of an erasure"))

export const accountDataCommands = [exportCommand, eraseCommand, erasureCommand] as const
