import { PGlite } from "@electric-sql/pglite"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { auditBooks, auditCustomer, auditReplays, creditsOf, type Query } from "./audit.ts"
import { openDatabase } from "./database.ts"
import { makeDisk } from "./disk.ts"
import { drawOf } from "./draw.ts"
import { enrol } from "./enrol.ts"
import { type Fault, faultsOf, startWithinMs, type World } from "./faults.ts"
import { type Call, type Customer, type Load, startLoad } from "./load.ts"
import { makeNode, makeNodes } from "./node.ts"
import type { SoakOptions } from "./options.ts"
import { openWire } from "./wire.ts"

/** The counts and findings of a soak. Without findings, the soak passed. */
export interface SoakReport {
  readonly calls: number
  readonly charged: number
  readonly doubtful: number
  readonly faults: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<string>
}

/** The time after the last fault within which every node is ready again. */
const healWithinMs = 45_000

/** A call's time limit and its reservation's grace. A reservation of a killed process lapses after both. */
const leaseMs = 6_000

const plans = JSON.stringify({
  premium: { requests_per_minute: 1_000_000, monthly_credits: 100_000_000 },
  scarce: { monthly_credits: 200, keys: 2, requests_per_minute: 1_000_000, answers_per_day: 1 }
})

interface Scene {
  readonly world: World
  readonly adminToken: string
  readonly query: Query
  readonly close: () => Promise<void>
}

const nodeSettings = (adminToken: string) => ({
  TAPELINE_ADMIN_TOKEN: adminToken,
  TAPELINE_PLANS: plans,
  // At other levels, most failures of an outage are counted instead of logged.
  TAPELINE_LOG_LEVEL: "Debug",
  TAPELINE_TOOL_TIMEOUT_MS: String(leaseMs / 2),
  TAPELINE_RESERVATION_GRACE_MS: String(leaseMs / 2),
  TAPELINE_SWEEP_EVERY_MS: "500"
})

/** Two processes on a PostgreSQL server, with a network that can be cut and a disk that can be filled. */
const postgresScene = async (longestMs: number): Promise<Scene> => {
  const disk = makeDisk(320)
  // Outside the disk that the soak fills, so that a full disk affects only the database.
  const dataDir = mkdtempSync(join(tmpdir(), "tapeline-soak-"))
  const database = await openDatabase(disk.path)
  const wire = await openWire(database.port)
  const adminToken = randomBytes(24).toString("base64url")
  const nodes = makeNodes(2, {
    ...nodeSettings(adminToken),
    DATABASE_URL: database.urlAt(wire.port),
    // The compile cache is here, which makes the next start faster.
    TAPELINE_DATA_DIR: dataDir
  })
  return {
    world: { nodes, disk, server: { database, wire }, longestMs },
    adminToken,
    query: database.query,
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      wire.close()
      database.thaw()
      await database.stop()
      disk.remove()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

/** One process on its embedded database, on a disk that can be filled. */
const pgliteScene = (longestMs: number): Scene => {
  const disk = makeDisk(320)
  const dataDir = join(disk.path, "data")
  mkdirSync(dataDir)
  const adminToken = randomBytes(24).toString("base64url")
  const node = makeNode("the node", { ...nodeSettings(adminToken), TAPELINE_DATA_DIR: dataDir })
  return {
    world: { nodes: [node], disk, server: null, longestMs },
    adminToken,
    // The embedded database serves one process at a time, so the node ends first.
    query: async (statement) => {
      await node.kill()
      const database = await PGlite.create(join(dataDir, "db"))
      try {
        return (await database.query<Record<string, unknown>>(statement)).rows
      } finally {
        await database.close()
      }
    },
    close: async () => {
      await node.kill()
      disk.remove()
    }
  }
}

/** Waits until every node is ready. Returns the time that this took, or null if it exceeded the limit. */
const healed = async ({ nodes }: World): Promise<number | null> => {
  const from = performance.now()
  const isReady = async (address: string | null) => {
    if (address === null) return false
    try {
      return (await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(3_000) })).status === 200
    } catch {
      return false
    }
  }
  while (performance.now() - from < healWithinMs) {
    const ready = await Promise.all(nodes.map((node) => isReady(node.address())))
    if (ready.every(Boolean)) return Math.round(performance.now() - from)
    await sleep(50)
  }
  return null
}

/** Waits until the cluster of every node takes shards again. Returns a finding for each that does not in time. */
const clustersHealed = async ({ nodes }: World): Promise<ReadonlyArray<string>> => {
  const deadline = performance.now() + healWithinMs
  while (nodes.some((node) => node.letGo()) && performance.now() < deadline) await sleep(100)
  return nodes.filter((node) => node.letGo()).map(({ name }) => `${name} takes no shards again, though all is over`)
}

/** Applies one fault after another while the load continues. */
const strikeAll = async (world: World, { print, rounds, seed }: SoakOptions) => {
  const draw = drawOf(seed, 0)
  const faults = faultsOf(world)
  // Every kind of fault occurs before any kind repeats.
  let left: Array<Fault> = []
  const counts: Record<string, number> = {}
  const findings: Array<string> = []
  for (let round = 1; round <= rounds; round++) {
    await sleep(draw.integer(100, 1_500))
    if (left.length === 0) left = [...faults]
    const fault = left.splice(draw.integer(0, left.length - 1), 1)[0]!
    counts[fault.name] = (counts[fault.name] ?? 0) + 1
    const what = await fault.strike(draw)
    const ms = await healed(world)
    if (ms === null) findings.push(`round ${round}, ${fault.name} ${what}: not ready again within ${healWithinMs} ms`)
    print(
      `${String(round).padStart(4)}  ${fault.name} ${what}${
        ms === null ? "  NOT HEALED" : `  ready again after ${ms} ms`
      }`
    )
  }
  return { counts, findings }
}

const replayed = 100

/** Compares the responses to the callers with the present state of the service. */
const auditService = async (address: string, load: Load, customers: ReadonlyArray<Customer>, seed: number) => {
  const findings: Array<string> = []
  for (const customer of customers) {
    const theirs = load.calls.filter((call) => call.customer === customer)
    const { used } = await creditsOf(address, customer)
    findings.push(...auditCustomer(theirs, used).map((finding) => `account ${customer.account}: ${finding}`))
  }
  const draw = drawOf(seed, 1)
  const charged = load.calls.filter((call) => call.idempotencyKey !== null && call.charged > 0)
  const sample: ReadonlyArray<Call> = charged.length <= replayed
    ? charged
    : Array.from({ length: replayed }, () => draw.oneOf(charged))
  findings.push(...await auditReplays(address, sample))
  findings.push(...[...load.oddities].map(([what, example]) => `${what}: ${example}`))
  return findings
}

const untilNothingIsReserved = async (address: string, customers: ReadonlyArray<Customer>) => {
  const deadline = performance.now() + 4 * leaseMs
  for (const customer of customers) {
    while ((await creditsOf(address, customer)).reserved > 0 && performance.now() < deadline) await sleep(200)
  }
}

/** Runs the service under load and faults, then audits its account balances. */
export const soak = async (options: SoakOptions): Promise<SoakReport> => {
  const scene = options.ground === "postgres" ? await postgresScene(options.longestMs) : pgliteScene(options.longestMs)
  const { adminToken, world } = scene
  try {
    await Promise.all(world.nodes.map((node) => node.start(startWithinMs)))
    const address = () => world.nodes[0]!.address()!
    const customers: Array<Customer> = []
    for (const plan of ["premium", "premium", "premium", "scarce"]) {
      customers.push(await enrol(address(), adminToken, { plan, scopes: ["read:market"] }))
    }
    const load = startLoad(options.callers, customers, world.nodes, (caller) => drawOf(options.seed, 2 + caller))
    const { counts, findings } = await strikeAll(world, options).finally(() => load.finish(60_000))
    await untilNothingIsReserved(address(), customers)
    findings.push(...await clustersHealed(world))
    findings.push(...await auditService(address(), load, customers, options.seed))
    findings.push(...await auditBooks(scene.query))
    for (const node of world.nodes) {
      for (const [message, count] of node.errors()) {
        findings.push(`${node.name} logged ${count} times: ${message}`)
      }
    }
    return {
      calls: load.calls.length,
      charged: load.calls.reduce((total, call) => total + call.charged, 0),
      doubtful: load.calls.filter(({ doubtful }) => doubtful).length,
      faults: counts,
      findings
    }
  } finally {
    await scene.close()
  }
}
