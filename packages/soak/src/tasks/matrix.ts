import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { type TaskFailpoint, taskFailpoints } from "@tapeline/core/personal"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answerer } from "../answers/Answerer.ts"
import { eventually, query, unheard, type World } from "../answers/matrix.ts"
import type { Trap } from "../answers/protocol.ts"
import { auditTasks } from "./audit.ts"
import { give, type Given, nextCall, repeated } from "./given.ts"

const signals = ["SIGKILL", "SIGSTOP"] as const

/** The visits of a failpoint at which a trap is useful: for a task that reports, and for tasks with questions. */
const times: Partial<Record<TaskFailpoint, ReadonlyArray<number>>> = {
  "within:claim": [1, 3],
  "after:claim": [1, 3],
  "before:end": [1, 3],
  "within:end": [1, 3],
  "after:end": [1, 3]
}

/** Failpoints of answers have their own matrix. These are the ones on which a firing depends. */
const ofAnswers: ReadonlyArray<GenerationFailpoint> = generationFailpoints.filter((point) =>
  /:(?:start|store|end|close)$/.test(point)
)

/** Every failpoint of every durable write of tasks, with either signal, and those of their answers. */
export const allTaskTraps: ReadonlyArray<Trap> = [
  ...taskFailpoints.flatMap((point) =>
    (times[point] ?? [1]).flatMap((nth) => signals.map((signal): Trap => ({ point: `task ${point}`, nth, signal })))
  ),
  ...ofAnswers.map((point): Trap => ({ point, nth: 1, signal: "SIGKILL" }))
]

/** How long a process stays frozen. */
const frozenMs = 5_000

/** How long a continued process can still change something after all is over. */
const afterwardsMs = 1_000

/** Audits until there are no findings, and again a little later. */
const judge = async (world: World, given: ReadonlyArray<Given>): Promise<ReadonlyArray<string>> => {
  const { patienceMs, survivor, upstream } = world
  let findings: ReadonlyArray<string> = []
  const look = async () => {
    findings = []
    for (const one of given) findings = [...findings, ...await auditTasks(query(survivor), upstream, one)]
    return findings.length === 0 ? true : null
  }
  await eventually(patienceMs + 10_000, look)
  await sleep(afterwardsMs)
  await look()
  return findings
}

/** Removes the leader, so that no process leads. */
const unled = async ({ survivor }: World): Promise<void> => {
  await query(survivor)("delete from task_leader")
}

/** Pauses all tasks of these accounts. */
const leave = async ({ survivor }: World, given: ReadonlyArray<Given>): Promise<void> => {
  for (const { account } of given) {
    await query(survivor)(`update tasks set status = 'paused' where account = ${account}`)
  }
}

/** Whether the failpoint is in a caller's request rather than in a process's own work. */
const isOfCaller = ({ point }: Trap): boolean => /^task \w+:(?:write|mark)$/.test(point)

/** Kills a process after a claim, so that its firing is left to another process. */
const leaveClaimed = async (world: World): Promise<void> => {
  await unled(world)
  const first = await world.victim()
  const { sprung } = await first.trap({ point: "task after:claim", nth: 1, signal: "SIGKILL" })
  await Promise.race([sprung, unheard(first.ask("tend", { leads: "one" }))])
  await sprung
  await first.kill()
}

/** Lets one process run tasks up to the trap, then another one as well. Returns whether the trap was reached. */
const tend = async (world: World, victim: Answerer, trap: Trap): Promise<boolean> => {
  const { patienceMs, survivor } = world
  const isTaking = trap.point.endsWith(":take")
  if (isTaking) await leaveClaimed(world)
  await unled(world)
  const sprung = isOfCaller(trap) ? Promise.resolve() : (await victim.trap(trap)).sprung
  const inTime = (ms: number) => Promise.race([sprung.then(() => true), sleep(ms, false)])
  const tended = unheard(victim.ask("tend", { leads: "one" }))
  await (isOfCaller(trap) ? tended : Promise.race([sprung, tended]))
  // The process with the trap takes the abandoned firing before the other one starts.
  if (isTaking) await inTime(patienceMs)
  else {
    const leads = eventually(patienceMs, async () => {
      const rows = await query(survivor)("select 1 from task_leader")
      return rows.length > 0 || null
    })
    await Promise.race([sprung, leads])
  }
  await survivor.ask("tend", { leads: "one" })
  return await inTime(patienceMs)
}

/** Marks notifications as read in a process with a trap, and again in another process. */
const markTwice = async (world: World, victim: Answerer, { account, tasks }: Given, trap: Trap) => {
  const { sprung } = await victim.trap(trap)
  const asked = { account, callId: nextCall() }
  const marked = await repeated(victim, world.survivor, (by) => by.ask("mark", asked))
  await sprung
  if (trap.signal === "SIGSTOP") victim.goOn(world.upstream.wentOn)
  const again = await world.survivor.ask("mark", asked)
  const [row] = await query(world.survivor)(
    `select count(*)::int as unread from notifications where account = ${account} and not read`
  )
  const due = tasks.filter(({ fires }) => fires).length
  return marked === due && again === due && row?.["unread"] === 0
    ? []
    : [`marked ${marked}, again ${again}, of ${due}; left ${JSON.stringify(row)}`]
}

const walk = async (world: World, trap: Trap): Promise<ReadonlyArray<string> | null> => {
  const victim = await world.victim()
  const given: Array<Given> = []
  try {
    const atWrite = trap.point.endsWith(":write")
    const written = atWrite ? await victim.trap(trap) : null
    given.push(await give(atWrite ? victim : world.survivor, world.survivor))
    await written?.sprung
    if (atWrite && trap.signal === "SIGSTOP") victim.goOn(world.upstream.wentOn)
    if (!(await tend(world, victim, trap))) return null
    if (trap.signal === "SIGSTOP" && !isOfCaller(trap)) {
      await sleep(frozenMs)
      victim.goOn(world.upstream.wentOn)
    }
    const findings = await judge(world, given)
    return trap.point.endsWith(":mark")
      ? [...findings, ...await markTwice(world, victim, given[0]!, trap)]
      : findings
  } finally {
    await victim.kill()
    await world.survivor.ask("rest", null)
    await leave(world, given)
  }
}

/** Sets one trap, makes due tasks reach the trap, and returns the findings. */
export const strikeTasks = async (world: World, trap: Trap): Promise<ReadonlyArray<string>> => {
  for (let tries = 1; tries <= 4; tries++) {
    const findings = await walk(world, trap)
    // An answer may run in any process, also in one without the trap.
    if (findings !== null) return findings
  }
  return ["it never came there"]
}

/** Two processes that lead at the same time and check all tasks. */
export const bothLead = async (world: World): Promise<ReadonlyArray<string>> => {
  const { survivor } = world
  const other = await world.victim()
  const given: Array<Given> = []
  try {
    for (let i = 0; i < 6; i++) given.push(await give(survivor, survivor))
    await Promise.all([survivor, other].map((one) => one.ask("tend", { leads: "all" })))
    return await judge(world, given)
  } finally {
    await other.kill()
    await survivor.ask("rest", null)
    await leave(world, given)
  }
}
