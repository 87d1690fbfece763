import { startFakeModel } from "@tapeline/testing/fakeModel"
import { randomBytes } from "node:crypto"
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { auditLedger } from "../audit.ts"
import { createCustomer } from "../createCustomer.ts"
import { type Call, startLoad } from "../load.ts"
import { makeNodes, type ServiceNode } from "../node.ts"
import { randomStream } from "../randomStream.ts"
import { type AnswerResult, askQuestion } from "../recovery/askQuestion.ts"
import { auditReading } from "../recovery/recovery.ts"
import { auditService, nodeSettings, waitUntilNothingReserved } from "../soak.ts"
import { type DatabasePair, waitUntil } from "./DatabasePair.ts"

export const failoverKinds = ["killed primary", "silent primary", "silent standby"] as const
export type FailoverKind = (typeof failoverKinds)[number]

/** The times in ms of one failover. */
export interface FailoverTimes {
  /** From the fault to the promotion; null for a fault without a promotion. */
  readonly promotionMs: number | null
  /** The longest time without a charged call. */
  readonly pauseMs: number
  /** From the promotion, or else the fault, to the first charged call that began later. */
  readonly resumedMs: number
  /** From the promotion, or else the fault, until every process is ready. */
  readonly readyMs: number
}

export interface FailoverReport {
  readonly times: Readonly<Partial<Record<FailoverKind, FailoverTimes>>>
  readonly calls: number
  readonly charged: number
  readonly answers: number
  readonly findings: ReadonlyArray<string>
}

const callers = 4
const readers = 3
/** The time limit of a start and of a recovery in ms, which is long enough for a busy machine. */
const readyTimeoutMs = 180_000
/** The time in ms of undisturbed load before each fault. */
const calmMs = 2_000

const isReady = async (node: ServiceNode): Promise<boolean> =>
  (await fetch(`${node.address()}/readyz`, { signal: AbortSignal.timeout(3_000) })).status === 200

const untilReady = (nodes: ReadonlyArray<ServiceNode>) =>
  Promise.all(nodes.map((node) => waitUntil(`the readiness of ${node.name}`, readyTimeoutMs, () => isReady(node))))

const listChargeTimes = (calls: ReadonlyArray<Call>): ReadonlyArray<number> =>
  calls.flatMap(({ answeredAt }) => answeredAt ?? []).sort((a, b) => a - b)

/** Waits until a call that began after `since` is charged, and returns the time of its response. */
const awaitCharge = async (calls: ReadonlyArray<Call>, since: number): Promise<number> => {
  const find = () => listChargeTimes(calls.filter(({ beganAt }) => beganAt > since))[0]
  await waitUntil("a charged call", readyTimeoutMs, async () => find() !== undefined)
  return find()!
}

const longestPauseMs = (calls: ReadonlyArray<Call>, since: number): number => {
  const times = listChargeTimes(calls)
  const first = times.findLastIndex((time) => time <= since)
  return Math.max(...times.slice(first + 1).map((time, i) => time - times[first + i]!))
}

const injectFault = async (
  pair: DatabasePair,
  kind: FailoverKind,
  nodes: ReadonlyArray<ServiceNode>,
  calls: ReadonlyArray<Call>
): Promise<FailoverTimes> => {
  await awaitCharge(calls, performance.now() + calmMs)
  const faultAt = performance.now()
  if (kind === "killed primary") pair.killPrimary()
  else if (kind === "silent primary") pair.freezePrimary()
  else pair.freezeStandby()
  const isPromoted = kind !== "silent standby"
  if (isPromoted) await pair.awaitPromotion()
  const since = isPromoted ? performance.now() : faultAt
  const resumedAt = await awaitCharge(calls, since)
  await untilReady(nodes)
  const readyAt = performance.now()
  const pauseMs = longestPauseMs(calls, faultAt)
  await pair.restoreLost()
  await awaitCharge(calls, performance.now())
  await untilReady(nodes)
  return {
    promotionMs: isPromoted ? Math.round(since - faultAt) : null,
    pauseMs: Math.round(pauseMs),
    resumedMs: Math.round(resumedAt - since),
    readyMs: Math.round(readyAt - since)
  }
}

/** Answers questions without a break until `finish` is called. */
const startReaders = (nodes: ReadonlyArray<ServiceNode>, key: string) => {
  const results: Array<AnswerResult> = []
  const stopping = new AbortController()
  const loops = Array.from({ length: readers }, async () => {
    while (!stopping.signal.aborted) {
      results.push(
        await askQuestion({
          addresses: () => nodes.flatMap((node) => node.address() ?? []),
          key,
          question: "What is it?",
          shouldCancel: false,
          // An answer may meet a failover, which takes longer than other faults.
          maxAnswerMs: readyTimeoutMs
        })
      )
    }
  })
  return {
    finish: async (): Promise<ReadonlyArray<AnswerResult>> => {
      stopping.abort()
      await Promise.all(loops)
      return results
    }
  }
}

const startModel = () =>
  startFakeModel({
    script: ({ body }) => ({
      acts: Array.isArray(body?.["tools"])
        ? Array.from({ length: 40 }, (_, i) => [{ text: `${i} ` }, { pauseMs: 100 }]).flat()
        : [{ text: "And then?" }]
    })
  })

const auditAnswers = (results: ReadonlyArray<AnswerResult>, charged: number): ReadonlyArray<string> => {
  const reported = results.reduce((sum, { credits }) => sum + credits, 0)
  return [
    ...results.flatMap(auditReading),
    ...(reported === charged ? [] : [`the answers reported ${reported} credits, but ${charged} were charged`])
  ]
}

/**
 * Runs three processes under calls and questions on a primary with a synchronous standby, injects faults, and audits
 * the account balances.
 */
export const runFailover = async (
  startPair: (folder: string) => Promise<DatabasePair>,
  kinds: ReadonlyArray<FailoverKind>
): Promise<FailoverReport> => {
  const folder = mkdtempSync(join(tmpdir(), "tapeline-failover-"))
  chmodSync(folder, 0o755)
  const adminToken = randomBytes(24).toString("base64url")
  const closers: Array<() => Promise<void>> = []
  try {
    const pair = await startPair(folder)
    closers.push(pair.stop)
    const model = await startModel()
    closers.push(model.close)
    const nodes = makeNodes(3, {
      ...nodeSettings(adminToken),
      // The failures of an outage are counted, so that the log has no errors but defects.
      TAPELINE_LOG_LEVEL: "Info",
      TAPELINE_PLANS: JSON.stringify({
        premium: { requests_per_minute: 1_000_000, monthly_credits: 100_000_000, answers_per_day: 1_000_000 }
      }),
      DATABASE_URL: pair.url,
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_MODEL: "fake",
      TAPELINE_DATA_DIR: join(folder, "server")
    })
    closers.push(async () => void await Promise.all(nodes.map((node) => node.kill())))
    for (const node of nodes) await node.start(readyTimeoutMs)
    await untilReady(nodes)
    const address = nodes[0]!.address()!
    const customer = await createCustomer(address, adminToken, { plan: "premium", scopes: ["read:market"] })
    const reader = await createCustomer(address, adminToken, { plan: "premium", scopes: ["agent:chat"] })
    const load = startLoad(callers, [customer], nodes, (caller) => randomStream(1, caller))
    const questions = startReaders(nodes, reader.key)
    const times: Partial<Record<FailoverKind, FailoverTimes>> = {}
    for (const kind of kinds) times[kind] = await injectFault(pair, kind, nodes, load.calls)
    await load.finish(readyTimeoutMs)
    const answers = await questions.finish()
    await waitUntilNothingReserved(address, [customer, reader])
    const charges = await pair.query(
      `select coalesce(sum(used), 0)::float8 as used from credit_months where account = ${reader.account}`
    )
    return {
      times,
      calls: load.calls.length,
      charged: load.calls.reduce((sum, { charged }) => sum + charged, 0),
      answers: answers.length,
      findings: [
        ...await auditService(address, load, [customer], 1),
        ...auditAnswers(answers, Number(charges[0]!["used"])),
        ...await auditLedger(pair.query),
        ...nodes.flatMap((node) =>
          [...node.errors()].map(([message, count]) => `${node.name} logged ${count} times: ${message}`)
        )
      ]
    }
  } finally {
    for (const close of closers.toReversed()) await close()
    rmSync(folder, { recursive: true, force: true })
  }
}
