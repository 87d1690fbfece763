import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { setTimeout as sleep } from "node:timers/promises"
import { auditLedger } from "../audit.ts"
import { auditAnswer } from "./audit.ts"
import { type FakeUpstream, questionText } from "./fakeUpstream.ts"
import type { FailpointTrigger } from "./protocol.ts"
import type { WorkerProcess } from "./WorkerProcess.ts"

export interface TestWorld {
  readonly upstream: FakeUpstream
  readonly survivor: WorkerProcess
  readonly victim: () => Promise<WorkerProcess>
  /** The time limit of an answer in ms. The limit leaves time for a takeover and for the expiry of a reservation. */
  readonly timeoutMs: number
}

/**
 * The visit numbers at which a test kills or freezes the process, by failpoint. By default, a test sends the signal at
 * visit 1 of a failpoint.
 */
const visitsByFailpoint: Partial<Record<GenerationFailpoint, ReadonlyArray<number>>> = {
  "before:append": [1, 4],
  "after:append": [1, 4],
  "before:store": [1, 2],
  "after:store": [1, 2],
  "before:renew": [1],
  "after:renew": [1]
}

export const allFailpoints: ReadonlyArray<FailpointTrigger> = generationFailpoints.flatMap((point) =>
  (visitsByFailpoint[point] ?? [1]).flatMap((nth) =>
    [{ point, nth, signal: "SIGKILL" }, { point, nth, signal: "SIGSTOP" }] as const
  )
)

const reportTimeoutMs = 3_000

let questions = 0

export const nextQuestionName = (): string => `q${++questions}`

export const pollUntil = async <A>(withinMs: number, check: () => Promise<A | null>): Promise<A | null> => {
  const until = performance.now() + withinMs
  for (;;) {
    const result = await check()
    if (result !== null || performance.now() > until) return result
    await sleep(100)
  }
}

const withTimeout = <A>(ms: number, work: Promise<A>): Promise<A | null> =>
  Promise.race([work, sleep(ms).then(() => null)])

export const nullIfKilled = <A>(call: Promise<A>): Promise<A | null> => call.catch(() => null)

export const query = (worker: WorkerProcess) => (text: string) => worker.call("query", { text })

const auditFinalLedger = async (
  { timeoutMs, survivor }: Pick<TestWorld, "timeoutMs" | "survivor">
): Promise<ReadonlyArray<string>> => {
  let findings: ReadonlyArray<string> = []
  await pollUntil(timeoutMs, async () => {
    findings = await auditLedger(query(survivor))
    return findings.length === 0 ? true : null
  })
  return findings
}

export const auditQuestion = async (
  world: Pick<TestWorld, "timeoutMs" | "survivor">,
  account: number,
  outcome: "finished" | "cancelled"
): Promise<ReadonlyArray<string>> => {
  const { timeoutMs, survivor } = world
  const [row] = await query(survivor)(`select id::int from generations where account = ${account}`)
  if (row === undefined) return await auditFinalLedger(world)
  const generation = Number(row["id"])
  const events = await withTimeout(timeoutMs, survivor.call("follow", { generation, after: 0 }))
  if (events === null) {
    const generationState = await query(survivor)(
      `select state, epoch, next_n from generations where id = ${generation}`
    )
    return [`the answer did not end: ${JSON.stringify(generationState)}`]
  }
  return [...(await auditAnswer(query(survivor), generation, events, outcome)), ...(await auditFinalLedger(world))]
}

const runToFailpoint = async (
  world: TestWorld,
  victim: WorkerProcess,
  account: number,
  trigger: FailpointTrigger,
  question: string
) => {
  const start = () =>
    nullIfKilled(victim.call("start", { account, message: questionText(question), conversation: null }))
  // Processes sweep all the time, so for a failpoint of a sweep, the answer starts before the failpoint is set.
  const startedEarly = trigger.point.endsWith(":sweep") ? Promise.resolve(await start()) : null
  const { reached } = await victim.setFailpoint(trigger)
  const startCall = startedEarly ?? start()
  let cancelled: Promise<unknown> = Promise.resolve(null)
  if (trigger.point.endsWith(":endAnyway")) {
    const startedAnswer = await startCall
    await pollUntil(
      world.timeoutMs,
      () => Promise.resolve(world.upstream.requestCounts.has(`${question} step:2`) || null)
    )
    if (startedAnswer !== null) {
      cancelled = nullIfKilled(victim.call("cancel", { account, conversation: startedAnswer.conversation }))
    }
  }
  // A process may forward its work to another process, so the failpoint may not be reached in this process.
  const endedElsewhere = pollUntil(world.timeoutMs, async () => {
    const [row] = await query(world.survivor)(
      `select 1 from generations where account = ${account} and state = 'closed'`
    )
    return row === undefined ? null : false
  }).then(() => sleep(reportTimeoutMs, false))
  const isReached = await withTimeout(world.timeoutMs, Promise.race([reached.then(() => true), endedElsewhere]))
  return { account, question, isReached: isReached ?? false, allCallsSettled: Promise.all([startCall, cancelled]) }
}

const retryUntilReached = async (world: TestWorld, victim: WorkerProcess, trigger: FailpointTrigger) => {
  for (let attempts = 1;; attempts++) {
    const account = await world.survivor.call("createAccount", null)
    const result = await runToFailpoint(world, victim, account, trigger, nextQuestionName())
    if (result.isReached || attempts === 4) return result
  }
}

/**
 * Resumes the frozen process after another process has finished its work. Reports each database change of the resumed
 * process as a finding.
 */
const resumeFrozen = async (world: TestWorld, victim: WorkerProcess, account: number, question: string) => {
  const { survivor, upstream } = world
  const tables = ["generations", "generation_steps", "generation_events", "messages", "credit_reservations"]
  const generationState = async () => {
    const rows = tables.map((name) =>
      `select '${name}' as name, t::text as row from ${name} t where account = ${account}`
    )
    return JSON.stringify(await query(survivor)(`${rows.join(" union all ")} order by 1, 2`))
  }
  const requestCounts = () => [...upstream.requestCounts].filter(([name]) => name.startsWith(`${question} `)).join("; ")
  const before = [await generationState(), requestCounts()]
  victim.resume(upstream.resumedAt)
  await sleep(1_000)
  const after = [await generationState(), requestCounts()]
  return [
    ...(before[0] === after[0] ? [] : ["the resumed process changed the database"]),
    ...(before[1] === after[1] ? [] : [`the resumed process called the model: ${after[1]}, before: ${before[1]}`])
  ]
}

/** Tests that an answer survives the signal of `trigger` at a failpoint. Returns one text per violation. */
export const runFailpoint = async (world: TestWorld, trigger: FailpointTrigger): Promise<ReadonlyArray<string>> => {
  const { timeoutMs, survivor, upstream } = world
  const victim = await world.victim()
  try {
    const { account, isReached, allCallsSettled, question } = await retryUntilReached(world, victim, trigger)
    if (!isReached) return ["the failpoint was not reached"]
    const isFrozen = trigger.signal === "SIGSTOP"
    const blocksOthers = isFrozen && (trigger.point.endsWith(":start") || trigger.point.startsWith("within:"))
    // A process that was frozen within a transaction, or at the start of an answer, blocks the answer, so it is resumed
    // first.
    if (blocksOthers) {
      await sleep(2_000)
      victim.resume(upstream.resumedAt)
      await withTimeout(timeoutMs, allCallsSettled)
    }
    // Only the stored row shows whether the cancellation was stored before the process died or froze.
    const [row] = await query(survivor)(`select outcome from generations where account = ${account}`)
    const findings = await auditQuestion(world, account, row?.["outcome"] === "cancelled" ? "cancelled" : "finished")
    const repeatedRequests = upstream.repeatedRequests.filter((name) => name.startsWith(`${question} `)).map((name) =>
      `repeated request to the model: ${name}`
    )
    return [
      ...findings,
      ...repeatedRequests,
      ...(isFrozen && !blocksOthers ? await resumeFrozen(world, victim, account, question) : [])
    ]
  } finally {
    await victim.kill()
  }
}
