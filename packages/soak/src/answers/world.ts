import { startOwnPostgres } from "@tapeline/testing/postgresServer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Answerer } from "./Answerer.ts"
import type { World } from "./matrix.ts"
import type { WorkerOptions } from "./protocol.ts"
import { startUpstream, type Upstream } from "./upstream.ts"

/**
 * Short times, so that many traps take little time. Their proportions are those of production. A reservation lasts
 * several times as long as a takeover on a busy machine. If the reservation lapsed before, the answer would finish
 * without a charge, as intended.
 */
const quick = {
  timing: {
    staleMs: 3_000,
    renewEveryMs: 400,
    lookEveryMs: 500,
    untakenMs: 500,
    sweepEveryMs: 500,
    reservationMs: 15_000,
    payEveryMs: 1_000
  },
  cluster: { expireMs: 2_100, lookEveryMs: 300, stopWithinMs: 300 }
} as const

/** Makes the upstream look up stored steps in a process. */
const watch = (upstream: Upstream, witness: Answerer): void => {
  upstream.isDone = async ({ question, step }) => {
    const rows = await witness.ask("query", {
      text: `select 1 as found from generation_steps s
        join generations g on g.account = s.account and g.id = s.generation
        join messages m on m.account = g.account and m.id = g.question
        where s.name = '${step}' and m.body like '%question-${question}.%'`
    })
    return rows.length > 0
  }
}

/** Runs work with a PostgreSQL server, a model, and processes that use both. */
export const withWorld = async <A>(work: (world: World) => Promise<A>): Promise<A> => {
  const [postgres, upstream] = await Promise.all([
    startOwnPostgres({ settings: { fsync: "off", max_connections: "100" } }),
    startUpstream()
  ])
  const options: WorkerOptions = {
    ...quick,
    database: { url: postgres.url },
    baseUrl: upstream.baseUrl,
    toolUrl: upstream.toolUrl
  }
  const dir = mkdtempSync(join(tmpdir(), "tapeline-answers-"))
  const made: Array<Answerer> = []
  const begin = async () => {
    const answerer = new Answerer(options, join(dir, "compiled"))
    made.push(answerer)
    await answerer.ready
    return answerer
  }
  try {
    const survivor = await begin()
    watch(upstream, survivor)
    // The next process starts while the current trap is tested.
    let next = begin()
    next.catch(() => undefined)
    const victim = async () => {
      const ready = await next
      next = begin()
      next.catch(() => undefined)
      return ready
    }
    return await work({ upstream, survivor, victim, patienceMs: 40_000 })
  } finally {
    await Promise.all(made.map((answerer) => answerer.kill()))
    await upstream.close()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs work with a data folder, a model, and one process at a time. */
export const withOneProcess = async <A>(
  work: (world: { readonly upstream: Upstream; readonly begin: () => Promise<Answerer> }) => Promise<A>
): Promise<A> => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-answers-"))
  const upstream = await startUpstream()
  const made: Array<Answerer> = []
  const begin = async () => {
    const answerer = new Answerer({
      ...quick,
      // A restart can take longer than the short reservation.
      timing: { ...quick.timing, reservationMs: 300_000 },
      database: { dataDir: join(dir, "db") },
      baseUrl: upstream.baseUrl,
      toolUrl: upstream.toolUrl
    }, join(dir, "compiled"))
    made.push(answerer)
    await answerer.ready
    watch(upstream, answerer)
    return answerer
  }
  try {
    return await work({ upstream, begin })
  } finally {
    await Promise.all(made.map((answerer) => answerer.kill()))
    await upstream.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
