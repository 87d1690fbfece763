import { startFakeModel } from "@tapeline/testing/fakeModel"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createCustomer } from "../createCustomer.ts"
import { startDatabase, type TestDatabase } from "../database.ts"
import { makeNodes, type ServiceNode } from "../node.ts"
import { type AnswerResult, askQuestion } from "./askQuestion.ts"

export const faultKinds = [
  "SIGKILL",
  "SIGKILL, restarted after 1.5 s",
  "SIGSTOP",
  "SIGTERM",
  "terminated sessions",
  "database crash"
] as const
export type FaultKind = (typeof faultKinds)[number]

export interface RecoveryResult {
  readonly generations: number
  /** For each affected answer, the longest time in ms without a new event, in ascending order. */
  readonly stallsMs: ReadonlyArray<number>
  /** For each answer whose idempotency key was rejected as in progress, the times in ms. */
  readonly rejections: ReadonlyArray<{ readonly rejectedMs: number; readonly answerMs: number }>
  readonly outcomes: Readonly<Record<string, number>>
  readonly findings: ReadonlyArray<string>
}

const answerPrice = 20
const readerCount = 10
const startTimeoutMs = 60_000
/** The time in ms for which a process stays frozen. Other processes take over the work of a frozen process sooner. */
const freezeMs = 12_000
/**
 * The pause in ms between the kill of a process and the restart. After the long pause, other processes have already
 * continued the answers. After the short pause, the new process starts before other processes can continue the answers.
 */
const restartPauseMs = { "SIGKILL": 8_000, "SIGKILL, restarted after 1.5 s": 1_500 } as const

interface RecoveryWorld {
  readonly database: TestDatabase
  readonly nodes: ReadonlyArray<ServiceNode>
  readonly adminToken: string
  readonly readyNodes: Set<ServiceNode>
  /** The times of the injected faults, by `performance.now()`. */
  readonly faults: Array<number>
}

const isReady = async (node: ServiceNode): Promise<boolean> => {
  const response = await fetch(`${node.address()}/readyz`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok === true
}

const startNode = async ({ readyNodes }: RecoveryWorld, node: ServiceNode): Promise<void> => {
  if (!node.isRunning() || node.address() === null) await node.start(startTimeoutMs)
  while (!(await isReady(node))) await sleep(100)
  readyNodes.add(node)
}

const pickNode = (nodes: ReadonlyArray<ServiceNode>, round: number): ServiceNode => nodes[round % nodes.length]!

const injectFault = async (world: RecoveryWorld, kind: FaultKind, round: number): Promise<void> => {
  const { database, faults, nodes, readyNodes } = world
  const node = pickNode(nodes, round)
  switch (kind) {
    case "SIGKILL":
    case "SIGKILL, restarted after 1.5 s": {
      const killed = node.kill()
      readyNodes.delete(node)
      faults.push(performance.now())
      await killed
      await sleep(restartPauseMs[kind])
      return startNode(world, node)
    }
    case "SIGTERM": {
      readyNodes.delete(node)
      node.signal("SIGTERM")
      faults.push(performance.now())
      // After SIGTERM, a process must stop within ten seconds.
      for (let ms = 0; node.isRunning(); ms += 50) {
        if (ms > 15_000) throw new Error(`${node.name} did not stop`)
        await sleep(50)
      }
      return startNode(world, node)
    }
    case "SIGSTOP":
      node.signal("SIGSTOP")
      readyNodes.delete(node)
      faults.push(performance.now())
      await sleep(freezeMs)
      node.signal("SIGCONT")
      return startNode(world, node)
    case "terminated sessions": {
      const terminateOneSession = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`
      for (let i = 0; i < 20; i++) {
        faults.push(performance.now())
        await database.query(terminateOneSession)
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
 * Returns the longest time from a fault to the next event of an answer, in ms. Returns null if no fault occurred during
 * the answer.
 */
export const longestStallMs = (progress: ReadonlyArray<number>, faults: ReadonlyArray<number>): number | null => {
  const stallsMs = faults.flatMap((at) => {
    const next = progress.findIndex((time) => time > at)
    return next > 0 ? [progress[next]! - at] : []
  })
  return stallsMs.length === 0 ? null : Math.max(...stallsMs)
}

const startWorld = async (): Promise<RecoveryWorld & { readonly close: () => Promise<void> }> => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-recovery-"))
  const database = await startDatabase(dir)
  // The folder of the database belongs to another user, so the service would not keep compiled code there.
  const dataDir = mkdtempSync(join(tmpdir(), "tapeline-recovery-data-"))
  const model = await startFakeModel({
    script: ({ body }) => ({
      acts: Array.isArray(body?.["tools"])
        ? Array.from({ length: 40 }, (_, i) => [{ text: `${i} ` }, { pauseMs: 100 }]).flat()
        : [{ text: "And then?" }]
    })
  })
  const adminToken = randomBytes(24).toString("base64url")
  const nodes = makeNodes(3, {
    DATABASE_URL: database.urlWithPort(database.port),
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_MODEL: "fake",
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_PLANS: JSON.stringify({
      premium: { requests_per_minute: 1_000_000, monthly_credits: 100_000_000, answers_per_day: 1_000_000 }
    }),
    TAPELINE_DATA_DIR: dataDir,
    TAPELINE_LOG_LEVEL: "Error"
  })
  return {
    database,
    nodes,
    adminToken,
    readyNodes: new Set(),
    faults: [],
    close: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      await model.close()
      await database.stop()
      for (const folder of [dir, dataDir]) rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Compares the outcome and the charge of an answer with the part that the reader received. */
export const auditReading = (
  { credits, errorCode, findings, hasText, outcome, inProgressMs }: AnswerResult
): ReadonlyArray<string> => [
  ...findings,
  ...(errorCode === null ? [] : [`an answer ended with ${errorCode}`]),
  ...(outcome === "finished" && credits !== answerPrice ? [`a finished answer was charged ${credits}`] : []),
  ...(outcome === "cancelled" && credits !== (hasText ? answerPrice : 0)
    ? [`a cancelled answer with${hasText ? "" : "out"} text was charged ${credits}`]
    : []),
  ...(inProgressMs > 10_000
    ? [`an idempotency key was rejected as in progress for ${Math.round(inProgressMs)} ms`]
    : [])
]

/** Answers questions with three processes under faults of one kind, and audits answers, charges and stalls. */
export const runRecovery = async (kind: FaultKind, generations: number): Promise<RecoveryResult> => {
  const world = await startWorld()
  try {
    for (const node of world.nodes) await startNode(world, node)
    const address = world.nodes[0]!.address()!
    const { key } = await createCustomer(address, world.adminToken, { plan: "premium", scopes: ["agent:chat"] })
    const results: Array<AnswerResult> = []
    let questionCount = 0
    const reader = async () => {
      while (questionCount < generations) {
        const n = ++questionCount
        results.push(
          await askQuestion({
            addresses: () => [...world.readyNodes].flatMap((node) => node.address() ?? []),
            key,
            question: `Question ${n}: what is it?`,
            shouldCancel: n % 10 === 0
          })
        )
      }
    }
    const endController = new AbortController()
    const faultLoop = (async () => {
      for (let round = 0; !endController.signal.aborted; round++) {
        await sleep(2_000)
        if (!endController.signal.aborted) await injectFault(world, kind, round)
      }
    })()
    await Promise.all(Array.from({ length: readerCount }, reader))
    endController.abort()
    await faultLoop
    const credits = results.reduce((sum, result) => sum + result.credits, 0)
    const [totals] = await world.database.query(
      "select sum(used)::float8 as used, sum(reserved)::float8 as reserved from credit_months"
    )
    const outcomes: Record<string, number> = {}
    for (const { outcome } of results) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    return {
      generations: results.length,
      stallsMs: results.flatMap(({ eventTimes }) => longestStallMs(eventTimes, world.faults) ?? []).sort((a, b) =>
        a - b
      ),
      rejections: results.filter(({ inProgressMs }) => inProgressMs > 0).map(({ eventTimes, inProgressMs }) => ({
        rejectedMs: inProgressMs,
        answerMs: eventTimes.at(-1)! - (eventTimes[1] ?? eventTimes[0]!)
      })),
      outcomes,
      findings: [
        ...results.flatMap(auditReading),
        ...(totals?.["used"] === credits && totals["reserved"] === 0
          ? []
          : [`the answers reported ${credits} credits, but the account has ${JSON.stringify(totals)}`])
      ]
    }
  } finally {
    await world.close()
  }
}
