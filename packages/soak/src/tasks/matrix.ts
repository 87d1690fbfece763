import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { type TaskFailpoint, taskFailpoints } from "@tapeline/core/personal"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answerer } from "../answers/Answerer.ts"
import { eventually, query, unheard, type World } from "../answers/matrix.ts"
import type { Trap } from "../answers/protocol.ts"
import { auditTasks } from "./audit.ts"
import { give, type Given, nextCall, repeated } from "./given.ts"

const signals = ["SIGKILL", "SIGSTOP"] as const

/** How often a process comes to a place where it is worth striking: of the one that reports, of those that ask. */
const times: Partial<Record<TaskFailpoint, ReadonlyArray<number>>> = {
  "within:claim": [1, 3],
  "after:claim": [1, 3],
  "before:end": [1, 3],
  "within:end": [1, 3],
  "after:end": [1, 3]
}

/** Answers of tasks write as others do, whose places have a matrix of their own: here what a firing hangs on. */
const ofAnswers: ReadonlyArray<GenerationFailpoint> = generationFailpoints.filter((point) =>
  /:(?:start|store|end|close)$/.test(point)
)

/** Every place of every durable write of tasks, with either signal, and those of their answers. */
export const allTaskTraps: ReadonlyArray<Trap> = [
  ...taskFailpoints.flatMap((point) =>
    (times[point] ?? [1]).flatMap((nth) => signals.map((signal): Trap => ({ point: `task ${point}`, nth, signal })))
  ),
  ...ofAnswers.map((point): Trap => ({ point, nth: 1, signal: "SIGKILL" }))
]

/** How long a process stands still. */
const frozenMs = 5_000

/** How long what went on may still change something after all was over. */
const afterwardsMs = 1_000

/** What is wrong of what stands, once all is over; and still nothing a while later. */
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

/** Nobody has said that it looks after tasks. */
const unled = async ({ survivor }: World): Promise<void> => {
  await query(survivor)("delete from task_leader")
}

/** Nothing of this account is looked after any more. */
const leave = async ({ survivor }: World, given: ReadonlyArray<Given>): Promise<void> => {
  for (const { account } of given) {
    await query(survivor)(`update tasks set status = 'paused' where account = ${account}`)
  }
}

/** Whether the trap is in what a caller asks for, and not in what processes do by themselves. */
const isOfCaller = ({ point }: Trap): boolean => /^task \w+:(?:write|mark)$/.test(point)

/** A process dies that has claimed, and leaves what is to be taken. */
const leaveClaimed = async (world: World): Promise<void> => {
  await unled(world)
  const first = await world.victim()
  const { sprung } = await first.trap({ point: "task after:claim", nth: 1, signal: "SIGKILL" })
  await Promise.race([sprung, unheard(first.ask("tend", { leads: "one" }))])
  await sprung
  await first.kill()
}

/** Has one process look after tasks, up to the trap, and then another one beside it; gives whether it came there. */
const tend = async (world: World, victim: Answerer, trap: Trap): Promise<boolean> => {
  const { patienceMs, survivor } = world
  const isTaking = trap.point.endsWith(":take")
  if (isTaking) await leaveClaimed(world)
  await unled(world)
  const sprung = isOfCaller(trap) ? Promise.resolve() : (await victim.trap(trap)).sprung
  const inTime = (ms: number) => Promise.race([sprung.then(() => true), sleep(ms, false)])
  const tended = unheard(victim.ask("tend", { leads: "one" }))
  await (isOfCaller(trap) ? tended : Promise.race([sprung, tended]))
  // One that is to take what was left does so before the other one would.
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

/** Has a caller mark the bell as read at a process that comes to its trap there, and again elsewhere. */
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

/** Sets one trap, has tasks that are due run into it, and gives what is wrong afterwards. */
export const strikeTasks = async (world: World, trap: Trap): Promise<ReadonlyArray<string>> => {
  for (let tries = 1; tries <= 4; tries++) {
    const findings = await walk(world, trap)
    // An answer may run in any process: also in one that is not trapped.
    if (findings !== null) return findings
  }
  return ["it never came there"]
}

/** Two processes look at everything at once, neither giving way to the other. */
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
