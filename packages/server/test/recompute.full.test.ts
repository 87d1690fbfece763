import { assert, describe, it } from "@effect/vitest"
import { dayMs } from "@tapeline/core/market"
import { seed } from "@tapeline/testing/seed"
import { Effect, Schema, type Scope } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { nodeArguments } from "./support/nodeArguments.ts"
import { startServer } from "./support/process.ts"
import { recordCandles } from "./support/recordCandles.ts"
import { pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { makePglite, migratedPostgres, readDerivedDigest, type TestDatabase } from "./support/testDatabases.ts"

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url))
const yesterday = new Date(Date.now() - dayMs).toISOString().slice(0, 10)

interface Run {
  readonly stdout: string
  readonly stderr: string
  readonly code: number | null
}

/** Runs the command `recompute`, and sends a signal to the command when it reports that `stopAfter` parts are done. */
const recompute = (
  { environment }: TestDatabase,
  { args = ["--from", yesterday], signal = "SIGINT", stopAfter = Infinity }: {
    readonly args?: ReadonlyArray<string>
    readonly stopAfter?: number
    readonly signal?: "SIGINT" | "SIGKILL"
  } = {}
): Effect.Effect<Run, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...nodeArguments, cli, "recompute", ...args], {
        env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: inject("compileCache"), ...environment },
        stdio: ["ignore", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  ).pipe(Effect.flatMap((child) =>
    Effect.promise(() =>
      new Promise<Run>((resolve) => {
        const output = { stdout: "", stderr: "" }
        child.stdout.setEncoding("utf8").on("data", (text: string) => void (output.stdout += text))
        child.stderr.setEncoding("utf8").on("data", (text: string) => {
          output.stderr += text
          const doneParts = [...output.stderr.matchAll(/^(\d+) of \d+ parts/gm)].at(-1)?.[1]
          if (doneParts !== undefined && Number(doneParts) >= stopAfter) child.kill(signal)
        })
        child.once("close", (code) => resolve({ ...output, code }))
      })
    )
  ))

const Report = Schema.fromJsonString(Schema.Struct({
  from: Schema.String,
  to: Schema.String,
  parts: Schema.Finite,
  days_stored: Schema.Finite,
  digest: Schema.String,
  still_changing: Schema.Finite
}))
const reportOf = ({ code, stderr, stdout }: Run) => {
  assert.strictEqual(code, 0, stderr)
  return Schema.decodeUnknownSync(Report)(stdout)
}

const stoppedAndTakenUp = (makePlace: Effect.Effect<TestDatabase, never, Scope.Scope>) =>
  it.live(
    "reports its progress, and has the same result after it is stopped and resumed",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const database = yield* makePlace
        const fullRun = yield* recompute(database)
        const report = reportOf(fullRun)
        assert.include(fullRun.stderr, `0 of ${report.parts} parts`)
        assert.include(fullRun.stderr, `${report.parts} of ${report.parts} parts`)
        const rows = yield* readDerivedDigest(database)
        assert.strictEqual(rows[0]?.rows, report.days_stored)

        const stopAt = Math.floor((seed % 10) * report.parts / 10)
        const stopped = yield* recompute(database, { stopAfter: stopAt })
        if (stopped.code !== 0) {
          assert.match(
            stopped.stderr,
            /Stopped after \d+ of \d+ parts\. Run the same command again to continue from there/
          )
          assert.strictEqual(stopped.stdout, "")
        }
        const resumedRun = yield* recompute(database)
        if (stopped.code !== 0 && stopAt > 0) assert.include(resumedRun.stderr, "continuing from there")
        const after = reportOf(resumedRun)
        if (after.to !== report.to) return
        assert.deepStrictEqual(after, report)
        assert.deepStrictEqual(yield* readDerivedDigest(database), rows)
      })),
    120_000
  )

describe("recompute: PostgreSQL", () => stoppedAndTakenUp(migratedPostgres))
describe("recompute: PGlite", () => stoppedAndTakenUp(makePglite()))

/** Repeats the command until the lease of a killed process has expired. */
const awaitLeader = (database: TestDatabase): Effect.Effect<Run, never, Scope.Scope> =>
  Effect.flatMap(recompute(database), (run) =>
    run.stderr.includes("was killed within the last half minute")
      ? Effect.andThen(Effect.sleep("2 seconds"), awaitLeader(database))
      : Effect.succeed(run))

const killedAndTakenUp = (makePlace: Effect.Effect<TestDatabase, never, Scope.Scope>) =>
  it.live(
    "has the result of an undisturbed run after it is resumed",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const [database, referenceDatabase] = [yield* makePlace, yield* makePlace]
        const stopAfter = 1 + seed % 40
        const killedRun = yield* recompute(database, { signal: "SIGKILL", stopAfter })
        assert.deepInclude(killedRun, { code: null, stdout: "" })
        const report = reportOf(yield* awaitLeader(database))
        const referenceReport = reportOf(yield* recompute(referenceDatabase))
        if (referenceReport.to !== report.to) return
        assert.deepStrictEqual(report, referenceReport)
        assert.deepStrictEqual(yield* readDerivedDigest(database), yield* readDerivedDigest(referenceDatabase))
      })),
    240_000
  )

describe("recompute, killed: PostgreSQL", () => killedAndTakenUp(migratedPostgres))
describe("recompute, killed: PGlite", () => killedAndTakenUp(makePglite()))

it.live("rejects an invalid day before it opens the database", () =>
  Effect.scoped(Effect.gen(function*() {
    for (const day of ["2026-02-30", "2999-01-01"]) {
      const { code, stderr, stdout } = yield* recompute({ environment: {}, sql: () => Effect.die("none") }, {
        args: ["--from", day]
      })
      assert.strictEqual(code, 1)
      assert.strictEqual(stdout + stderr, "--from must be a day that has begun, such as 2026-01-31\n")
    }
  })))

it.live("creates no database if none exists", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = join(tmpdir(), `tapeline-none-${crypto.randomUUID()}`)
    const database = { environment: { TAPELINE_DATA_DIR: folder }, sql: () => Effect.die("none") }
    const { code, stderr, stdout } = yield* recompute(database)
    assert.strictEqual(code, 1)
    assert.include(stdout + stderr, `There is no database in ${folder}`)
    assert.isFalse(existsSync(folder))
  })))

describe("recompute before the first record", () => {
  it.live("reports that no series is recorded, without a digest", () =>
    Effect.scoped(Effect.gen(function*() {
      const database = yield* migratedPostgres
      const environment = { ...database.environment, TAPELINE_MARKET: "live" }
      const { code, stderr, stdout } = yield* recompute({ ...database, environment })
      assert.strictEqual(code, 0, stderr)
      const report: unknown = JSON.parse(stdout)
      assert.deepInclude(report, { days_stored: 0, digest: null })
      assert.include(stdout, `no series is recorded from ${yesterday} on`)
    })), 60_000)

  it.live(
    "starts with the first recorded day, reports it, and has the same digest for any earlier day",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const database = yield* migratedPostgres
        const environment = { ...database.environment, TAPELINE_MARKET: "live" }
        const today = Math.floor(Date.now() / dayMs) * dayMs
        yield* recordCandles(database.environment["DATABASE_URL"]!, ["BTC", "ETH"], {
          from: today - 3 * dayMs,
          to: today
        })
        const first = new Date(today - 3 * dayMs).toISOString()
        const results = yield* Effect.forEach([first.slice(0, 10), "2021-05-01", "2019-01-01"], (day) =>
          Effect.map(
            recompute({ ...database, environment }, { args: ["--from", day] }),
            (run) => ({ report: reportOf(run), isNoted: run.stdout.includes("no series is recorded before") })
          ))
        assert.deepStrictEqual(results.map(({ isNoted }) => isNoted), [false, true, true])
        const [exact, ...earlier] = results.map(({ report }) => report)
        assert.deepInclude(exact, { from: first, still_changing: 0 })
        for (const one of earlier) {
          if (one.to === exact!.to) assert.deepStrictEqual(one, exact)
        }
      })),
    120_000
  )
})

describe("two concurrent recompute commands next to a server", () => {
  it.live(
    "run once: the other one reports that another process is recomputing",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const database = yield* migratedPostgres
        const server = yield* startServer({ ...database.environment, ...testSettings })
        const runs = yield* Effect.all([recompute(database), recompute(database)], { concurrency: 2 })
        const failedRuns = runs.filter(({ code }) => code !== 0)
        // If the second command starts after the first command has ended, both commands succeed.
        assert.isAtMost(failedRuns.length, 1)
        for (const { stderr } of failedRuns) assert.include(stderr, "another process is recomputing")
        const [report] = runs.filter(({ code }) => code === 0).map(reportOf)
        assert.isAbove(report!.days_stored, 0)
        yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      })),
    120_000
  )
})
