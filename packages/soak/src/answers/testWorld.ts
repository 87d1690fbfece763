import { startOwnPostgres } from "@tapeline/testing/postgresServer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestWorld } from "./failpoints.ts"
import { type FakeUpstream, startFakeUpstream } from "./fakeUpstream.ts"
import type { WorkerOptions } from "./protocol.ts"
import { WorkerProcess } from "./WorkerProcess.ts"

/**
 * Timing settings that are shorter than in production. A reservation lasts several times as long as a takeover, as in
 * production. An answer is not charged if its reservation expires during a takeover.
 */
const shortTimings = {
  timing: {
    staleMs: 3_000,
    renewIntervalMs: 400,
    searchIntervalMs: 500,
    untakenMs: 500,
    sweepIntervalMs: 500,
    answerLeaseMs: 15_000,
    leaseRenewalIntervalMs: 1_000
  },
  cluster: { heartbeatTtlMs: 2_100, pollIntervalMs: 300, stopTimeoutMs: 300 }
} as const

const lookUpStoredSteps = (upstream: FakeUpstream, worker: WorkerProcess): void => {
  upstream.isStepStored = async ({ question, step }) => {
    const rows = await worker.call("query", {
      text: `select 1 as found from generation_steps s
        join generations g on g.account = s.account and g.id = s.generation
        join messages m on m.account = g.account and m.id = g.question
        where s.name = '${step}' and m.body like '%question-${question}.%'`
    })
    return rows.length > 0
  }
}

export const withTestWorld = async <A>(run: (world: TestWorld) => Promise<A>): Promise<A> => {
  const [postgres, upstream] = await Promise.all([
    startOwnPostgres({ settings: { fsync: "off", max_connections: "100" } }),
    startFakeUpstream()
  ])
  const options: WorkerOptions = {
    ...shortTimings,
    database: { url: postgres.url },
    baseUrl: upstream.baseUrl,
    toolUrl: upstream.toolUrl
  }
  const directory = mkdtempSync(join(tmpdir(), "tapeline-answers-"))
  const workers: Array<WorkerProcess> = []
  const startWorker = async () => {
    const worker = new WorkerProcess(options, join(directory, "compiled"))
    workers.push(worker)
    await worker.ready
    return worker
  }
  try {
    const survivor = await startWorker()
    lookUpStoredSteps(upstream, survivor)
    // The next process already starts while the current failpoint is tested, to save time.
    let nextVictim = startWorker()
    nextVictim.catch(() => undefined)
    const victim = async () => {
      const ready = await nextVictim
      nextVictim = startWorker()
      nextVictim.catch(() => undefined)
      return ready
    }
    return await run({ upstream, survivor, victim, timeoutMs: 40_000 })
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
    await upstream.close()
    await postgres.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

export const withOneProcess = async <A>(
  run: (world: { readonly upstream: FakeUpstream; readonly startWorker: () => Promise<WorkerProcess> }) => Promise<A>
): Promise<A> => {
  const directory = mkdtempSync(join(tmpdir(), "tapeline-answers-"))
  const upstream = await startFakeUpstream()
  const workers: Array<WorkerProcess> = []
  const startWorker = async () => {
    const worker = new WorkerProcess({
      ...shortTimings,
      // The reservation is longer than in the other tests, because the restart of a process can take longer than a
      // short reservation.
      timing: { ...shortTimings.timing, answerLeaseMs: 300_000 },
      database: { dataDir: join(directory, "db") },
      baseUrl: upstream.baseUrl,
      toolUrl: upstream.toolUrl
    }, join(directory, "compiled"))
    workers.push(worker)
    await worker.ready
    lookUpStoredSteps(upstream, worker)
    return worker
  }
  try {
    return await run({ upstream, startWorker })
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
    await upstream.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
