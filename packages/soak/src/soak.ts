import { PGlite } from "@electric-sql/pglite"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { auditCustomerCharges, auditLedger, auditReplays, type Query, readCredits } from "./audit.ts"
import { openConnectionProxy } from "./connectionProxy.ts"
import { createCustomer } from "./createCustomer.ts"
import { startDatabase } from "./database.ts"
import { createDisk } from "./disk.ts"
import { type Fault, type FaultTargets, possibleFaults, startTimeoutMs } from "./faults.ts"
import { type Call, type Customer, type Load, startLoad } from "./load.ts"
import { makeNode, makeNodes } from "./node.ts"
import type { SoakOptions } from "./options.ts"
import { randomStream } from "./randomStream.ts"

/** The counts and findings of a soak test, which has passed if it has no findings. */
export interface SoakReport {
  readonly calls: number
  readonly charged: number
  readonly doubtful: number
  readonly faults: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<string>
}

/** The maximum time after a fault until all nodes are ready again, in ms. */
const recoveryTimeoutMs = 45_000

/**
 * The time in ms after which the reservation of a killed process expires. The duration is the sum of a call's time
 * limit and a grace period.
 */
export const reservationMs = 6_000

const plans = JSON.stringify({
  premium: { requests_per_minute: 1_000_000, monthly_credits: 100_000_000 },
  scarce: { monthly_credits: 200, keys: 2, requests_per_minute: 1_000_000, answers_per_day: 1 }
})

interface SoakSetup {
  readonly faultTargets: FaultTargets
  readonly adminToken: string
  readonly query: Query
  readonly close: () => Promise<void>
}

export const nodeSettings = (adminToken: string) => ({
  TAPELINE_ADMIN_TOKEN: adminToken,
  TAPELINE_PLANS: plans,
  // At other log levels, most failures of an outage are only counted, and not logged separately.
  TAPELINE_LOG_LEVEL: "Debug",
  TAPELINE_TOOL_TIMEOUT_MS: String(reservationMs / 2),
  TAPELINE_RESERVATION_GRACE_MS: String(reservationMs / 2),
  TAPELINE_SWEEP_EVERY_MS: "500"
})

/** Starts PostgreSQL and two processes of the service, with a network that can be cut and a disk that can be filled. */
const setUpPostgres = async (maxDurationMs: number): Promise<SoakSetup> => {
  const disk = createDisk(320)
  // The data folder of the service is on another disk than the database, so that a full disk affects only the database.
  const dataDir = mkdtempSync(join(tmpdir(), "tapeline-soak-"))
  const database = await startDatabase(disk.path)
  const connection = await openConnectionProxy(() => database.port)
  const adminToken = randomBytes(24).toString("base64url")
  const nodes = makeNodes(2, {
    ...nodeSettings(adminToken),
    DATABASE_URL: database.urlWithPort(connection.port),
    TAPELINE_DATA_DIR: dataDir
  })
  return {
    faultTargets: { nodes, disk, server: { database, connection }, maxDurationMs },
    adminToken,
    query: database.query,
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      connection.close()
      database.unfreeze()
      await database.stop()
      disk.remove()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

const setUpPglite = (maxDurationMs: number): SoakSetup => {
  const disk = createDisk(320)
  const dataDir = join(disk.path, "data")
  mkdirSync(dataDir)
  const adminToken = randomBytes(24).toString("base64url")
  const node = makeNode("the node", { ...nodeSettings(adminToken), TAPELINE_DATA_DIR: dataDir })
  return {
    faultTargets: { nodes: [node], disk, server: null, maxDurationMs },
    adminToken,
    // The node is killed first, because only one process at a time can use the embedded database.
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

/** Waits until all nodes are ready, and returns the waiting time in ms, or null after `recoveryTimeoutMs`. */
const waitUntilReady = async ({ nodes }: FaultTargets): Promise<number | null> => {
  const startedAt = performance.now()
  const isReady = async (baseUrl: string | null) => {
    if (baseUrl === null) return false
    try {
      return (await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(3_000) })).status === 200
    } catch {
      return false
    }
  }
  while (performance.now() - startedAt < recoveryTimeoutMs) {
    const ready = await Promise.all(nodes.map((node) => isReady(node.address())))
    if (ready.every(Boolean)) return Math.round(performance.now() - startedAt)
    await sleep(50)
  }
  return null
}

/**
 * Waits until all nodes hold cluster shards again. Returns a finding for each node without shards after
 * `recoveryTimeoutMs`.
 */
const waitForClusters = async ({ nodes }: FaultTargets): Promise<ReadonlyArray<string>> => {
  const deadline = performance.now() + recoveryTimeoutMs
  while (nodes.some((node) => node.hasReleasedShards()) && performance.now() < deadline) await sleep(100)
  return nodes.filter((node) => node.hasReleasedShards()).map(({ name }) =>
    `${name} holds no shards ${recoveryTimeoutMs} ms after the last fault`
  )
}

const injectFaults = async (faultTargets: FaultTargets, { print, rounds, seed }: SoakOptions) => {
  const random = randomStream(seed, 0)
  const faults = possibleFaults(faultTargets)
  // No kind of fault is repeated before every kind has occurred.
  let remainingFaults: Array<Fault> = []
  const counts: Record<string, number> = {}
  const findings: Array<string> = []
  for (let round = 1; round <= rounds; round++) {
    await sleep(random.integer(100, 1_500))
    if (remainingFaults.length === 0) remainingFaults = [...faults]
    const fault = remainingFaults.splice(random.integer(0, remainingFaults.length - 1), 1)[0]!
    counts[fault.name] = (counts[fault.name] ?? 0) + 1
    const description = await fault.inject(random)
    const ms = await waitUntilReady(faultTargets)
    if (ms === null) {
      findings.push(`round ${round}, ${fault.name} ${description}: not ready again within ${recoveryTimeoutMs} ms`)
    }
    print(
      `${String(round).padStart(4)}  ${fault.name} ${description}${
        ms === null ? "  NOT READY AGAIN" : `  ready again after ${ms} ms`
      }`
    )
  }
  return { counts, findings }
}

const maxReplays = 100

/** Compares the responses of a load with the charged credits, and repeats charged calls. */
export const auditService = async (baseUrl: string, load: Load, customers: ReadonlyArray<Customer>, seed: number) => {
  const findings: Array<string> = []
  for (const customer of customers) {
    const customerCalls = load.calls.filter((call) => call.customer === customer)
    const { used } = await readCredits(baseUrl, customer)
    findings.push(
      ...auditCustomerCharges(customerCalls, used).map((finding) => `account ${customer.account}: ${finding}`)
    )
  }
  const random = randomStream(seed, 1)
  const charged = load.calls.filter((call) => call.idempotencyKey !== null && call.charged > 0)
  const sample: ReadonlyArray<Call> = charged.length <= maxReplays
    ? charged
    : Array.from({ length: maxReplays }, () => random.pick(charged))
  findings.push(...await auditReplays(baseUrl, sample))
  findings.push(...[...load.unexpectedResponses].map(([description, example]) => `${description}: ${example}`))
  return findings
}

export const waitUntilNothingReserved = async (baseUrl: string, customers: ReadonlyArray<Customer>) => {
  const deadline = performance.now() + 4 * reservationMs
  for (const customer of customers) {
    while ((await readCredits(baseUrl, customer)).reserved > 0 && performance.now() < deadline) await sleep(200)
  }
}

/** Runs the service under load and faults, and then audits the account balances. */
export const runSoak = async (options: SoakOptions): Promise<SoakReport> => {
  const setup = options.ground === "postgres" ? await setUpPostgres(options.longestMs) : setUpPglite(options.longestMs)
  const { adminToken, faultTargets } = setup
  try {
    await Promise.all(faultTargets.nodes.map((node) => node.start(startTimeoutMs)))
    const baseUrl = () => faultTargets.nodes[0]!.address()!
    const customers: Array<Customer> = []
    for (const plan of ["premium", "premium", "premium", "scarce"]) {
      customers.push(await createCustomer(baseUrl(), adminToken, { plan, scopes: ["read:market"] }))
    }
    const load = startLoad(
      options.callers,
      customers,
      faultTargets.nodes,
      (caller) => randomStream(options.seed, 2 + caller)
    )
    const { counts, findings } = await injectFaults(faultTargets, options).finally(() => load.finish(60_000))
    await waitUntilNothingReserved(baseUrl(), customers)
    findings.push(...await waitForClusters(faultTargets))
    findings.push(...await auditService(baseUrl(), load, customers, options.seed))
    findings.push(...await auditLedger(setup.query))
    for (const node of faultTargets.nodes) {
      for (const [message, count] of node.errors()) {
        findings.push(`${node.name} logged ${count} times: ${message}`)
      }
    }
    return {
      calls: load.calls.length,
      charged: load.calls.reduce((total, call) => total + call.charged, 0),
      doubtful: load.calls.filter(({ isDoubtful }) => isDoubtful).length,
      faults: counts,
      findings
    }
  } finally {
    await setup.close()
  }
}
