import { type GenerationFailpoint, generationFailpoints } from "@tapeline/core/agent"
import { setTimeout as sleep } from "node:timers/promises"
import { auditBooks } from "../audit.ts"
import type { Answerer } from "./Answerer.ts"
import { auditAnswer } from "./audit.ts"
import type { Trap } from "./protocol.ts"
import { questionNamed, type Upstream } from "./upstream.ts"

/** What a trap is set in. */
export interface World {
  readonly upstream: Upstream
  /** A process that nothing happens to. */
  readonly survivor: Answerer
  /** Another one, for the trap. */
  readonly victim: () => Promise<Answerer>
  /** Longer than processes take to find out that one is gone, and than a reservation lasts. */
  readonly patienceMs: number
}

/** How often a run comes to a place where it is worth striking. */
const times: Partial<Record<GenerationFailpoint, ReadonlyArray<number>>> = {
  "before:append": [1, 4],
  "after:append": [1, 4],
  "before:store": [1, 2],
  "after:store": [1, 2],
  "before:renew": [1],
  "after:renew": [1]
}

/** Every place of every durable write, with either signal. */
export const allTraps: ReadonlyArray<Trap> = generationFailpoints.flatMap((point) =>
  (times[point] ?? [1]).flatMap((nth) =>
    [{ point, nth, signal: "SIGKILL" }, { point, nth, signal: "SIGSTOP" }] as const
  )
)

/** A process's word that it came to a trap is here within that time, also on a busy machine. */
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

/** What is said of a process that its operator, or a trap, has done away with meanwhile. */
export const unheard = <A>(asking: Promise<A>): Promise<A | null> => asking.catch(() => null)

export const query = (answerer: Answerer) => (text: string) => answerer.ask("query", { text })

/** The books, once what was reserved by the dead has lapsed. */
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

/** What became of the question of an account, in the eyes of the survivor. */
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

/** Has the victim come to the trap. `over` is when all that it was asked has been answered, or its process is gone. */
const walk = async (world: World, victim: Answerer, account: number, trap: Trap, question: string) => {
  const start = () => unheard(victim.ask("start", { account, message: questionNamed(question), conversation: null }))
  // A process sweeps all the time: the answer is to be under way by then.
  const begun = trap.point.endsWith(":sweep") ? Promise.resolve(await start()) : null
  const { sprung } = await victim.trap(trap)
  const started = begun ?? start()
  let cancelled: Promise<unknown> = Promise.resolve(null)
  if (trap.point.endsWith(":endAnyway")) {
    const placed = await started
    await eventually(world.patienceMs, () => Promise.resolve(world.upstream.asked.has(`${question} step:2`) || null))
    if (placed !== null) cancelled = unheard(victim.ask("cancel", { account, conversation: placed.conversation }))
  }
  // A process that has just come in may have others run what it is asked; then this ends without it. The last traps are
  // where all is over but for the word that they were sprung.
  const elsewhere = eventually(world.patienceMs, async () => {
    const [row] = await query(world.survivor)(
      `select 1 from generations where account = ${account} and state = 'closed'`
    )
    return row === undefined ? null : false
  }).then(() => sleep(wordMs, false))
  const came = await within(world.patienceMs, Promise.race([sprung.then(() => true), elsewhere]))
  return { account, question, came: came ?? false, over: Promise.all([started, cancelled]) }
}

/** Walks until it has come to the trap. */
const spring = async (world: World, victim: Answerer, trap: Trap) => {
  for (let tries = 1;; tries++) {
    const account = await world.survivor.ask("enrol", null)
    const walked = await walk(world, victim, account, trap, nextQuestion())
    if (walked.came || tries === 4) return walked
  }
}

/** Has the frozen one go on beside what its successor has done; gives what that changed. */
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

/** Sets one trap, has a question run into it, and gives what is wrong afterwards. */
export const strike = async (world: World, trap: Trap): Promise<ReadonlyArray<string>> => {
  const { patienceMs, survivor, upstream } = world
  const victim = await world.victim()
  try {
    const { account, came, over, question } = await spring(world, victim, trap)
    if (!came) return ["it never came there"]
    const frozen = trap.signal === "SIGSTOP"
    const holds = frozen && (trap.point.endsWith(":start") || trap.point.startsWith("within:"))
    // What stands within a transaction, or has not begun, goes on when its process does.
    if (holds) {
      await sleep(2_000)
      victim.goOn(upstream.wentOn)
      await within(patienceMs, over)
    }
    // Whether a cancel stood when its process died or froze is in the row alone.
    const [row] = await query(survivor)(`select outcome from generations where account = ${account}`)
    const findings = await judge(world, account, row?.["outcome"] === "cancelled" ? "cancelled" : "finished")
    const again = upstream.repeated.filter((name) => name.startsWith(`${question} `)).map((name) => `again: ${name}`)
    return [...findings, ...again, ...(frozen && !holds ? await thaw(world, victim, account, question) : [])]
  } finally {
    await victim.kill()
  }
}
