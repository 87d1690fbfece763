import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { setTimeout as sleep } from "node:timers/promises"
import { auditBooks } from "../audit.ts"
import type { Answerer } from "./Answerer.ts"
import { auditAnswer } from "./audit.ts"
import type { Trap } from "./protocol.ts"
import { questionNamed, type Upstream } from "./upstream.ts"

/** The environment of a trap. */
export interface World {
  readonly upstream: Upstream
  /** A process without faults. */
  readonly survivor: Answerer
  /** Returns another process, for the trap. */
  readonly victim: () => Promise<Answerer>
  /** Longer than processes take to detect that another one is gone, and longer than a reservation lasts. */
  readonly patienceMs: number
}

/** The visits of a failpoint at which a trap is useful. Default: the first. */
const times: Partial<Record<GenerationFailpoint, ReadonlyArray<number>>> = {
  "before:append": [1, 4],
  "after:append": [1, 4],
  "before:store": [1, 2],
  "after:store": [1, 2],
  "before:renew": [1],
  "after:renew": [1]
}

/** Every failpoint of every durable write, with either signal. */
export const allTraps: ReadonlyArray<Trap> = generationFailpoints.flatMap((point) =>
  (times[point] ?? [1]).flatMap((nth) =>
    [{ point, nth, signal: "SIGKILL" }, { point, nth, signal: "SIGSTOP" }] as const
  )
)

/** A process reports its trap within this time, also on a busy machine. */
const wordMs = 3_000

let questions = 0

export const nextQuestion = (): string => `q${++questions}`

export const eventually = async <A>(withinMs: number, look: () => Promise<A | null>): Promise<A | null> => {
  const until = performance.now() + withinMs
  for (;;) {
    const found = await look()
    if (found !== null || performance.now() > until) return found
    await sleep(100)
  }
}

const within = <A>(ms: number, work: Promise<A>): Promise<A | null> => Promise.race([work, sleep(ms).then(() => null)])

/** Returns null if the process was killed before it answered. */
export const unheard = <A>(asking: Promise<A>): Promise<A | null> => asking.catch(() => null)

export const query = (answerer: Answerer) => (text: string) => answerer.ask("query", { text })

/** The findings in the account balances, after the reservations of dead processes have lapsed. */
const booksInTheEnd = async (
  { patienceMs, survivor }: Pick<World, "patienceMs" | "survivor">
): Promise<ReadonlyArray<string>> => {
  let findings: ReadonlyArray<string> = []
  await eventually(patienceMs, async () => {
    findings = await auditBooks(query(survivor))
    return findings.length === 0 ? true : null
  })
  return findings
}

/** Audits the result of an account's question, as the surviving process sees it. */
export const judge = async (
  world: Pick<World, "patienceMs" | "survivor">,
  account: number,
  outcome: "finished" | "cancelled"
): Promise<ReadonlyArray<string>> => {
  const { patienceMs, survivor } = world
  const [row] = await query(survivor)(`select id::int from generations where account = ${account}`)
  if (row === undefined) return await booksInTheEnd(world)
  const generation = Number(row["id"])
  const events = await within(patienceMs, survivor.ask("follow", { generation, after: 0 }))
  if (events === null) {
    const stands = await query(survivor)(`select state, epoch, next_n from generations where id = ${generation}`)
    return [`it did not end: ${JSON.stringify(stands)}`]
  }
  return [...(await auditAnswer(query(survivor), generation, events, outcome)), ...(await booksInTheEnd(world))]
}

/** Makes the victim reach the trap. `over` resolves when all its calls have returned or its process is gone. */
const walk = async (world: World, victim: Answerer, account: number, trap: Trap, question: string) => {
  const start = () => unheard(victim.ask("start", { account, message: questionNamed(question), conversation: null }))
  // Processes sweep all the time, so the answer starts before this trap is set.
  const begun = trap.point.endsWith(":sweep") ? Promise.resolve(await start()) : null
  const { sprung } = await victim.trap(trap)
  const started = begun ?? start()
  let cancelled: Promise<unknown> = Promise.resolve(null)
  if (trap.point.endsWith(":endAnyway")) {
    const placed = await started
    await eventually(world.patienceMs, () => Promise.resolve(world.upstream.asked.has(`${question} step:2`) || null))
    if (placed !== null) cancelled = unheard(victim.ask("cancel", { account, conversation: placed.conversation }))
  }
  // A new process may forward its work to others, so the answer can end elsewhere and never reach the trap. The last
  // traps are reached when only the report is left, so this waits a little longer for the report.
  const elsewhere = eventually(world.patienceMs, async () => {
    const [row] = await query(world.survivor)(
      `select 1 from generations where account = ${account} and state = 'closed'`
    )
    return row === undefined ? null : false
  }).then(() => sleep(wordMs, false))
  const came = await within(world.patienceMs, Promise.race([sprung.then(() => true), elsewhere]))
  return { account, question, came: came ?? false, over: Promise.all([started, cancelled]) }
}

/** Repeats the walk until the trap is reached, up to four times. */
const spring = async (world: World, victim: Answerer, trap: Trap) => {
  for (let tries = 1;; tries++) {
    const account = await world.survivor.ask("enrol", null)
    const walked = await walk(world, victim, account, trap, nextQuestion())
    if (walked.came || tries === 4) return walked
  }
}

/** Continues the frozen process after its successor has finished. Returns the changes that it causes. */
const thaw = async (world: World, victim: Answerer, account: number, question: string) => {
  const { survivor, upstream } = world
  const tables = ["generations", "generation_steps", "generation_events", "messages", "credit_reservations"]
  const stands = async () => {
    const rows = tables.map((name) =>
      `select '${name}' as name, t::text as row from ${name} t where account = ${account}`
    )
    return JSON.stringify(await query(survivor)(`${rows.join(" union all ")} order by 1, 2`))
  }
  const asked = () => [...upstream.asked].filter(([name]) => name.startsWith(`${question} `)).join("; ")
  const before = [await stands(), asked()]
  victim.goOn(upstream.wentOn)
  await sleep(1_000)
  const after = [await stands(), asked()]
  return [
    ...(before[0] === after[0] ? [] : ["what stands has changed since the frozen one went on"]),
    ...(before[1] === after[1] ? [] : [`since the frozen one went on it asked: ${after[1]}, before: ${before[1]}`])
  ]
}

/** Sets one trap, makes a question reach the trap, and returns the findings. */
export const strike = async (world: World, trap: Trap): Promise<ReadonlyArray<string>> => {
  const { patienceMs, survivor, upstream } = world
  const victim = await world.victim()
  try {
    const { account, came, over, question } = await spring(world, victim, trap)
    if (!came) return ["it never came there"]
    const frozen = trap.signal === "SIGSTOP"
    const holds = frozen && (trap.point.endsWith(":start") || trap.point.startsWith("within:"))
    // A process that was frozen within a transaction, or at the start of an answer, must continue before the answer
    // can.
    if (holds) {
      await sleep(2_000)
      victim.goOn(upstream.wentOn)
      await within(patienceMs, over)
    }
    // Only the row shows whether a cancel was stored before the process died or froze.
    const [row] = await query(survivor)(`select outcome from generations where account = ${account}`)
    const findings = await judge(world, account, row?.["outcome"] === "cancelled" ? "cancelled" : "finished")
    const again = upstream.repeated.filter((name) => name.startsWith(`${question} `)).map((name) => `again: ${name}`)
    return [...findings, ...again, ...(frozen && !holds ? await thaw(world, victim, account, question) : [])]
  } finally {
    await victim.kill()
  }
}
