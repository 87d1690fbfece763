import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { type TaskFailpoint, taskFailpoints } from "@tapeline/core/personal"
import { setTimeout as sleep } from "node:timers/promises"
import { nullIfKilled, pollUntil, query, type TestWorld } from "../answers/failpoints.ts"
import type { FailpointTrigger } from "../answers/protocol.ts"
import type { WorkerProcess } from "../answers/WorkerProcess.ts"
import { auditTasks } from "./audit.ts"
import { callWithFallback, createDueTasks, nextCallId, type TaskAccount } from "./dueTasks.ts"

const signals = ["SIGKILL", "SIGSTOP"] as const

/**
 * The visit numbers at which a test kills or freezes the process, by failpoint. Visit 1 belongs to a task that sends a
 * report, and visit 3 to a task that asks a question.
 */
const visitsByFailpoint: Partial<Record<TaskFailpoint, ReadonlyArray<number>>> = {
  "within:claim": [1, 3],
  "after:claim": [1, 3],
  "before:end": [1, 3],
  "within:end": [1, 3],
  "after:end": [1, 3]
}

/** The failpoints of answer generation that affect tasks. */
const answerFailpoints: ReadonlyArray<GenerationFailpoint> = generationFailpoints.filter((point) =>
  /:(?:start|store|end|close)$/.test(point)
)

export const allTaskFailpoints: ReadonlyArray<FailpointTrigger> = [
  ...taskFailpoints.flatMap((point) =>
    (visitsByFailpoint[point] ?? [1]).flatMap((nth) =>
      signals.map((signal): FailpointTrigger => ({ point: `task ${point}`, nth, signal }))
    )
  ),
  ...answerFailpoints.map((point): FailpointTrigger => ({ point, nth: 1, signal: "SIGKILL" }))
]

const freezeMs = 5_000

/**
 * The waiting time in ms before the last audit. The last audit must also find wrong writes of a process that resumes
 * after a freeze.
 */
const settleMs = 1_000

/**
 * Audits the accounts until the audit has no findings or a time limit has passed. After a short wait, audits the
 * accounts once more.
 */
const auditUntilClean = async (
  world: TestWorld,
  accounts: ReadonlyArray<TaskAccount>
): Promise<ReadonlyArray<string>> => {
  const { timeoutMs, survivor, upstream } = world
  let findings: ReadonlyArray<string> = []
  const auditAll = async () => {
    findings = []
    for (const account of accounts) findings = [...findings, ...await auditTasks(query(survivor), upstream, account)]
    return findings.length === 0 ? true : null
  }
  await pollUntil(timeoutMs + 10_000, auditAll)
  await sleep(settleMs)
  await auditAll()
  return findings
}

const removeLeader = async ({ survivor }: TestWorld): Promise<void> => {
  await query(survivor)("delete from task_leader")
}

const pauseAllTasks = async ({ survivor }: TestWorld, accounts: ReadonlyArray<TaskAccount>): Promise<void> => {
  for (const { account } of accounts) {
    await query(survivor)(`update tasks set status = 'paused' where account = ${account}`)
  }
}

/** Returns true if only a caller's request can reach the failpoint. */
const isCallerFailpoint = ({ point }: FailpointTrigger): boolean => /^task \w+:(?:write|mark)$/.test(point)

/** Kills a process after the process has claimed a task firing. */
const abandonClaimedFiring = async (world: TestWorld): Promise<void> => {
  await removeLeader(world)
  const first = await world.victim()
  const { reached } = await first.setFailpoint({ point: "task after:claim", nth: 1, signal: "SIGKILL" })
  await Promise.race([reached, nullIfKilled(first.call("startTasks", { leaders: "one" }))])
  await reached
  await first.kill()
}

/**
 * Runs tasks in the process `victim` until the failpoint, and then in the process `survivor`. Returns whether `victim`
 * reached the failpoint.
 */
const runTasksToFailpoint = async (
  world: TestWorld,
  victim: WorkerProcess,
  trigger: FailpointTrigger
): Promise<boolean> => {
  const { timeoutMs, survivor } = world
  const isTakeFailpoint = trigger.point.endsWith(":take")
  if (isTakeFailpoint) await abandonClaimedFiring(world)
  await removeLeader(world)
  const reached = isCallerFailpoint(trigger) ? Promise.resolve() : (await victim.setFailpoint(trigger)).reached
  const reachedWithin = (ms: number) => Promise.race([reached.then(() => true), sleep(ms, false)])
  const taskCall = nullIfKilled(victim.call("startTasks", { leaders: "one" }))
  await (isCallerFailpoint(trigger) ? taskCall : Promise.race([reached, taskCall]))
  // The survivor starts later, so that the victim takes the abandoned firing.
  if (isTakeFailpoint) await reachedWithin(timeoutMs)
  else {
    const isLeaderElected = pollUntil(timeoutMs, async () => {
      const rows = await query(survivor)("select 1 from task_leader")
      return rows.length > 0 || null
    })
    await Promise.race([reached, isLeaderElected])
  }
  await survivor.call("startTasks", { leaders: "one" })
  return await reachedWithin(timeoutMs)
}

const markTwice = async (
  world: TestWorld,
  victim: WorkerProcess,
  { account, tasks }: TaskAccount,
  trigger: FailpointTrigger
) => {
  const { reached } = await victim.setFailpoint(trigger)
  const markRequest = { account, callId: nextCallId() }
  const markedCount = await callWithFallback(victim, world.survivor, (worker) => worker.call("mark", markRequest))
  await reached
  if (trigger.signal === "SIGSTOP") victim.resume(world.upstream.resumedAt)
  const repeatedCount = await world.survivor.call("mark", markRequest)
  const [row] = await query(world.survivor)(
    `select count(*)::int as unread from notifications where account = ${account} and not read`
  )
  const dueCount = tasks.filter(({ fires }) => fires).length
  return markedCount === dueCount && repeatedCount === dueCount && row?.["unread"] === 0
    ? []
    : [
      `marked ${markedCount} of ${dueCount} notifications, the repeated call ${repeatedCount}; afterwards ${
        JSON.stringify(row)
      }`
    ]
}

const runFailpointOnce = async (world: TestWorld, trigger: FailpointTrigger): Promise<ReadonlyArray<string> | null> => {
  const victim = await world.victim()
  const accounts: Array<TaskAccount> = []
  try {
    const isWriteFailpoint = trigger.point.endsWith(":write")
    const failpoint = isWriteFailpoint ? await victim.setFailpoint(trigger) : null
    accounts.push(await createDueTasks(isWriteFailpoint ? victim : world.survivor, world.survivor))
    await failpoint?.reached
    if (isWriteFailpoint && trigger.signal === "SIGSTOP") victim.resume(world.upstream.resumedAt)
    if (!(await runTasksToFailpoint(world, victim, trigger))) return null
    if (trigger.signal === "SIGSTOP" && !isCallerFailpoint(trigger)) {
      await sleep(freezeMs)
      victim.resume(world.upstream.resumedAt)
    }
    const findings = await auditUntilClean(world, accounts)
    return trigger.point.endsWith(":mark")
      ? [...findings, ...await markTwice(world, victim, accounts[0]!, trigger)]
      : findings
  } finally {
    await victim.kill()
    await world.survivor.call("stopTasks", null)
    await pauseAllTasks(world, accounts)
  }
}

/** Tests that due tasks survive the signal of `trigger` at a failpoint. Returns one text per violation. */
export const runTaskFailpoint = async (world: TestWorld, trigger: FailpointTrigger): Promise<ReadonlyArray<string>> => {
  for (let attempts = 1; attempts <= 4; attempts++) {
    const findings = await runFailpointOnce(world, trigger)
    // The failpoint may not be reached, because an answer may run in another process.
    if (findings !== null) return findings
  }
  return ["the failpoint was not reached"]
}

/** Tests two processes that are leaders at the same time. Both processes check all tasks. */
export const runTwoLeaders = async (world: TestWorld): Promise<ReadonlyArray<string>> => {
  const { survivor } = world
  const other = await world.victim()
  const accounts: Array<TaskAccount> = []
  try {
    for (let i = 0; i < 6; i++) accounts.push(await createDueTasks(survivor, survivor))
    await Promise.all([survivor, other].map((account) => account.call("startTasks", { leaders: "all" })))
    return await auditUntilClean(world, accounts)
  } finally {
    await other.kill()
    await survivor.call("stopTasks", null)
    await pauseAllTasks(world, accounts)
  }
}
