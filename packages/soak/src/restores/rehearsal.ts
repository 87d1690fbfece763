import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { auditLedger, auditReplays, type Query, readCredits } from "../audit.ts"
import { createCustomer } from "../createCustomer.ts"
import { type Call, type Customer, type Load, startLoad } from "../load.ts"
import { makeNode, type ServiceNode } from "../node.ts"
import { randomStream } from "../randomStream.ts"
import { nodeSettings, reservationMs } from "../soak.ts"

/** A database that can be backed up, destroyed and restored. */
export interface RestorableDatabase {
  /** The settings of a server on the original database. */
  readonly environment: Readonly<Record<string, string>>
  /** Makes what must exist before the moment, such as a base backup, while the service is under load. */
  readonly prepare: (node: ServiceNode, adminToken: string) => Promise<void>
  /** Fixes the moment of the restore: calls that were answered before are in the restored database. */
  readonly noteMoment: (node: ServiceNode, adminToken: string) => Promise<void>
  /** Destroys the database, restores it elsewhere, and returns the settings of a server on the restored one. */
  readonly restore: () => Promise<Readonly<Record<string, string>>>
  /** Reads the restored database, while no server runs. */
  readonly query: Query
}

export interface RehearsalReport {
  /** The numbers of charged calls that ended before the moment and began after it. */
  readonly earlier: number
  readonly later: number
  readonly findings: ReadonlyArray<string>
}

const adminToken = "restore-rehearsal-restore-rehearsal"
const callers = 6
const callsPerPhase = 60
const startTimeoutMs = 60_000
const phaseTimeoutMs = 60_000
const maxRepeats = 20

const isCharged = (call: Call): boolean => call.idempotencyKey !== null && call.charged > 0

/** Waits until `count` calls that began at the position `from` or later have been charged. */
const waitForCalls = async (load: Load, from: number, count = callsPerPhase): Promise<void> => {
  const deadline = performance.now() + phaseTimeoutMs
  while (load.calls.slice(from).filter(isCharged).length < count) {
    if (performance.now() > deadline) throw new Error(`The service charged fewer than ${count} calls in time`)
    await sleep(20)
  }
}

const waitUntilNothingReserved = async (baseUrl: string, customers: ReadonlyArray<Customer>): Promise<void> => {
  const deadline = performance.now() + 4 * reservationMs
  for (const customer of customers) {
    while ((await readCredits(baseUrl, customer)).reserved > 0 && performance.now() < deadline) await sleep(100)
  }
}

/** Repeats calls that began after the moment. Each must run again and be charged once. */
const repeatLostCalls = async (baseUrl: string, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<string>> => {
  const findings: Array<string> = []
  for (const { body, charged, customer, idempotencyKey } of calls) {
    const before = await readCredits(baseUrl, customer)
    for (const isRepeated of [false, true]) {
      const response = await fetch(`${baseUrl}/v1/tools/get_price`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${customer.key}`,
          "content-type": "application/json",
          "idempotency-key": idempotencyKey!
        },
        body
      })
      if (response.status !== 200 || (response.headers.get("idempotent-replayed") === "true") !== isRepeated) {
        findings.push(`a repeat of a lost call returned ${response.status}: ${await response.text()}`)
      }
    }
    const after = await readCredits(baseUrl, customer)
    if (after.used !== before.used + charged) {
      findings.push(`a repeat of a lost call charged ${after.used - before.used} credits instead of ${charged}`)
    }
  }
  return findings
}

const auditMoment = async (query: Query, earlier: ReadonlyArray<Call>, later: ReadonlyArray<Call>) => {
  const rows = await query(
    "select idempotency_key from credit_reservations where state = 'settled' and idempotency_key is not null"
  )
  const settled = new Set(rows.map((row) => row["idempotency_key"]))
  const count = (calls: ReadonlyArray<Call>, isExpected: boolean) =>
    calls.filter(({ idempotencyKey }) => settled.has(idempotencyKey) !== isExpected).length
  const [missing, unexpected] = [count(earlier, true), count(later, false)]
  return [
    ...(missing > 0 ? [`${missing} of ${earlier.length} calls from before the moment are missing`] : []),
    ...(unexpected > 0 ? [`${unexpected} of ${later.length} calls from after the moment are there`] : [])
  ]
}

/**
 * Backs up a database under load, destroys it, restores it to a moment, and audits the restored books: everything that
 * was acknowledged before the moment is there, and nothing that began after it.
 */
export const rehearseRestore = async (database: RestorableDatabase): Promise<RehearsalReport> => {
  const node = makeNode("the original server", { ...nodeSettings(adminToken), ...database.environment })
  let restoredNode: ServiceNode | undefined
  try {
    await node.start(startTimeoutMs)
    const customers: Array<Customer> = []
    for (const plan of ["premium", "premium"]) {
      customers.push(await createCustomer(node.address()!, adminToken, { plan, scopes: ["read:market"] }))
    }
    const load = startLoad(callers, customers, [node], (caller) => randomStream(5, caller))
    await waitForCalls(load, 0)
    await database.prepare(node, adminToken)
    await waitForCalls(load, load.calls.length)
    const earlier = load.calls.filter(isCharged)
    await database.noteMoment(node, adminToken)
    const position = load.calls.length
    await waitForCalls(load, position)
    await Promise.all([load.finish(0), node.kill()])
    const later = load.calls.slice(position).filter(isCharged)

    const environment = await database.restore()
    const findings = [...await auditMoment(database.query, earlier, later)]
    restoredNode = makeNode("the restored server", { ...nodeSettings(adminToken), ...environment })
    await restoredNode.start(startTimeoutMs)
    const baseUrl = restoredNode.address()!
    await waitUntilNothingReserved(baseUrl, customers)
    findings.push(...await auditReplays(baseUrl, earlier.slice(-maxRepeats)))
    findings.push(...await repeatLostCalls(baseUrl, later.slice(0, maxRepeats)))
    await restoredNode.kill()
    findings.push(...await auditLedger(database.query))
    for (const { errors, name } of [node, restoredNode]) {
      for (const [message, count] of errors()) findings.push(`${name} logged ${count} times: ${message}`)
    }
    return { earlier: earlier.length, later: later.length, findings }
  } finally {
    await Promise.all([node.kill(), restoredNode?.kill()])
  }
}

/** Runs `use` with a new folder, and removes the folder afterwards. */
export const withFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "tapeline-restore-"))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
