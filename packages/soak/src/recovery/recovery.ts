import { startFakeModel } from "@tapeline/testing/fakeModel"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { type Database, openDatabase } from "../database.ts"
import { enrol } from "../enrol.ts"
import { makeNodes, type ServiceNode } from "../node.ts"
import { ask, type Reading } from "./ask.ts"

/** The faults of processes or the database while questions are answered. */
export const faultKinds = ["SIGKILL", "SIGSTOP", "SIGTERM", "terminated sessions", "database crash"] as const
export type FaultKind = (typeof faultKinds)[number]

export interface RecoveryResult {
  readonly generations: number
  /** The time without progress of each answer that a fault affected, in ms, ascending. */
  readonly stalls: ReadonlyArray<number>
  readonly outcomes: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<string>
}

const price = 20
/** The number of questions that are answered at the same time. */
const readers = 10
const startWithinMs = 60_000
/** How long a process stays frozen: longer than other processes wait for it. */
const frozenMs = 12_000

interface World {
  readonly database: Database
  readonly nodes: ReadonlyArray<ServiceNode>
  readonly adminToken: string
  /** Nodes that can answer. */
  readonly up: Set<ServiceNode>
  /** The times of faults, by `performance.now()`. */
  readonly faults: Array<number>
}

const isReady = async (node: ServiceNode): Promise<boolean> => {
  const response = await fetch(`${node.address()}/readyz`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok === true
}

const bringUp = async ({ up }: World, node: ServiceNode): Promise<void> => {
  if (!node.runs() || node.address() === null) await node.start(startWithinMs)
  while (!(await isReady(node))) await sleep(100)
  up.add(node)
}

const pick = (nodes: ReadonlyArray<ServiceNode>, turn: number): ServiceNode => nodes[turn % nodes.length]!

/** Applies one fault, and returns once every process runs again. */
const strike = async (world: World, kind: FaultKind, turn: number): Promise<void> => {
  const { database, faults, nodes, up } = world
  const node = pick(nodes, turn)
  switch (kind) {
    case "SIGKILL": {
      const killed = node.kill()
      up.delete(node)
      faults.push(performance.now())
      await killed
      await sleep(3_000)
      return bringUp(world, node)
    }
    case "SIGTERM": {
      up.delete(node)
      node.signal("SIGTERM")
      faults.push(performance.now())
      // A process that does not stop within ten seconds violates the stop contract.
      for (let ms = 0; node.runs(); ms += 50) {
        if (ms > 15_000) throw new Error(`${node.name} did not stop`)
        await sleep(50)
      }
      return bringUp(world, node)
    }
    case "SIGSTOP":
      node.signal("SIGSTOP")
      up.delete(node)
      faults.push(performance.now())
      await sleep(frozenMs)
      node.signal("SIGCONT")
      return bringUp(world, node)
    case "terminated sessions": {
      const one = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`
      for (let i = 0; i < 20; i++) {
        faults.push(performance.now())
        await database.query(one)
        await sleep(250)
      }
      return
    }
    case "database crash":
      database.crash()
      await sleep(1_000)
      database.start()
      faults.push(performance.now())
      await sleep(6_000)
  }
}

/**
 * Returns the longest time without progress after a fault. Returns null if no fault occurred while the answer was open.
 */
export const stallOf = (progress: ReadonlyArray<number>, faults: ReadonlyArray<number>): number | null => {
  const stalls = faults.flatMap((at) => {
    const next = progress.findIndex((time) => time > at)
    return next > 0 ? [progress[next]! - at] : []
  })
  return stalls.length === 0 ? null : Math.max(...stalls)
}

const openWorld = async (): Promise<World & { readonly close: () => Promise<void> }> => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-recovery-"))
  const database = await openDatabase(join(dir))
  const model = await startFakeModel({
    script: ({ body }) => ({
      acts: Array.isArray(body?.["tools"])
        ? Array.from({ length: 40 }, (_, i) => [{ text: `${i} ` }, { pauseMs: 100 }]).flat()
        : [{ text: "And then?" }]
    })
  })
  const adminToken = randomBytes(24).toString("base64url")
  const nodes = makeNodes(3, {
    DATABASE_URL: database.urlAt(database.port),
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: "fake",
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_PLANS: JSON.stringify({
      premium: { requests_per_minute: 1_000_000, monthly_credits: 100_000_000, answers_per_day: 1_000_000 }
    }),
    TAPELINE_DATA_DIR: dir,
    TAPELINE_LOG_LEVEL: "Error"
  })
  return {
    database,
    nodes,
    adminToken,
    up: new Set(),
    faults: [],
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      await model.close()
      await database.stop()
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

/** Returns the rules of charges and outcomes that a reading violates. */
const findingsOf = ({ credits, errorCode, findings, hasText, outcome, refusedMs }: Reading): ReadonlyArray<string> => [
  ...findings,
  ...(errorCode === null ? [] : [`an answer ended with ${errorCode}`]),
  ...(outcome === "finished" && credits !== price ? [`a finished answer was charged ${credits}`] : []),
  ...(outcome === "cancelled" && credits !== (hasText ? price : 0)
    ? [`a cancelled answer with${hasText ? "" : "out"} text was charged ${credits}`]
    : []),
  ...(refusedMs > 10_000 ? [`an idempotency key was refused for ${Math.round(refusedMs)} ms`] : [])
]

/** Answers questions with three processes under faults of one kind, and audits answers, charges and stalls. */
export const recover = async (kind: FaultKind, generations: number): Promise<RecoveryResult> => {
  const world = await openWorld()
  try {
    for (const node of world.nodes) await bringUp(world, node)
    const address = world.nodes[0]!.address()!
    const { key } = await enrol(address, world.adminToken, { plan: "premium", scopes: ["agent:chat"] })
    const readings: Array<Reading> = []
    let asked = 0
    const reader = async () => {
      while (asked < generations) {
        const n = ++asked
        readings.push(
          await ask({
            addresses: () => [...world.up].flatMap((node) => node.address() ?? []),
            key,
            question: `Question ${n}: what is it?`,
            cancels: n % 10 === 0
          })
        )
      }
    }
    const over = new AbortController()
    const striking = (async () => {
      for (let turn = 0; !over.signal.aborted; turn++) {
        await sleep(2_000)
        if (!over.signal.aborted) await strike(world, kind, turn)
      }
    })()
    await Promise.all(Array.from({ length: readers }, reader))
    over.abort()
    await striking
    const credits = readings.reduce((sum, reading) => sum + reading.credits, 0)
    const [books] = await world.database.query(
      "select sum(used)::float8 as used, sum(reserved)::float8 as reserved from credit_months"
    )
    const outcomes: Record<string, number> = {}
    for (const { outcome } of readings) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return {
      generations: readings.length,
      stalls: readings.flatMap(({ progress }) => stallOf(progress, world.faults) ?? []).sort((a, b) => a - b),
      outcomes,
      findings: [
        ...readings.flatMap(findingsOf),
        ...(books?.["used"] === credits && books["reserved"] === 0
          ? []
          : [`readers saw ${credits} credits, the account has ${JSON.stringify(books)}`])
      ]
    }
  } finally {
    await world.close()
  }
}
