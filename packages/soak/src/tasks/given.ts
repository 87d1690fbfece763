import type { TaskChange } from "@tapeline/core/personal"
import { type Answerer, ProcessGone } from "../answers/Answerer.ts"
import { nextQuestion, query } from "../answers/matrix.ts"
import { questionNamed } from "../answers/upstream.ts"

type Create = Extract<TaskChange, { readonly _tag: "Create" }>

/** A task of the account with its expected result. */
export interface GivenTask {
  readonly id: number
  readonly conversation: number
  /** The name of its question. Null for a task that only reports. */
  readonly question: string | null
  readonly fires: boolean
  readonly isRehoused: boolean
}

/** An account with due tasks. */
export interface Given {
  readonly account: number
  readonly tasks: ReadonlyArray<GivenTask>
}

type Planned = Pick<Create, "awaited" | "prompt" | "title"> & Pick<GivenTask, "fires" | "isRehoused" | "question">

const dayMin = 1_440

const watch = (op: "gt" | "lt") =>
  ({ kind: "watch", spec: { metric: "price", market: "coin", symbol: "BTC", op, value: 100 } }) as const

/**
 * One task of each kind: with reports and questions, by condition and by time, with a new conversation, and one that
 * does not fire.
 */
const plan = (): ReadonlyArray<Planned> => {
  const [behind, daily, moved] = [nextQuestion(), nextQuestion(), nextQuestion()]
  const still = { fires: true, isRehoused: false, prompt: null, question: null }
  const every = { kind: "schedule", spec: { every_min: dayMin } } as const
  return [
    { ...still, title: "above", awaited: watch("gt") },
    {
      ...still,
      title: "moved",
      awaited: { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "BTC", value: 3 } },
      prompt: questionNamed(behind),
      question: behind
    },
    { ...still, title: questionNamed(daily), awaited: every, question: daily },
    { ...still, title: questionNamed(moved), awaited: every, question: moved, isRehoused: true },
    { ...still, title: "below", awaited: watch("lt"), fires: false }
  ]
}

let calls = 0

export const nextCall = (): string => `call ${++calls}`

/** Creates an account's tasks with `maker`. If it dies, another process repeats the calls. */
const makeTasks = async (maker: Answerer, survivor: Answerer, account: number): Promise<ReadonlyArray<GivenTask>> => {
  const key = await survivor.ask("issueKey", { account })
  const tasks: Array<GivenTask> = []
  for (const { awaited, prompt, title, ...known } of plan()) {
    const change: Create = {
      _tag: "Create",
      title,
      awaited,
      prompt,
      maxRuns: null,
      lang: "en",
      key,
      conversation: null
    }
    const asked = { account, callId: nextCall(), change }
    const written = await repeated(maker, survivor, (by) => by.ask("writeTask", asked))
    if (written._tag !== "Task") throw new Error("No task was made")
    tasks.push({ ...known, id: written.task.id, conversation: written.task.conversation })
  }
  return tasks
}

/** A silent process counts as dead after this time, as for a caller. */
const silentMs = 2_000

/** Asks a process. If it dies or freezes, asks another one the same. */
export const repeated = async <A>(
  first: Answerer,
  then: Answerer,
  ask: (by: Answerer) => Promise<A>
): Promise<A> => {
  const silent = new Promise<null>((resolve) => setTimeout(resolve, silentMs, null).unref())
  const given = await Promise.race([
    ask(first).then((answered) => ({ answered }), (cause: unknown) => {
      if (cause instanceof ProcessGone) return null
      throw cause
    }),
    silent
  ])
  return given === null ? await ask(then) : given.answered
}

/** Creates an account whose tasks became due while no process ran tasks. */
export const give = async (maker: Answerer, survivor: Answerer): Promise<Given> => {
  const account = await survivor.ask("enrol", null)
  const tasks = await makeTasks(maker, survivor, account)
  const run = query(survivor)
  const gone = tasks.filter(({ isRehoused }) => isRehoused).map(({ conversation }) => conversation)
  await run(`delete from conversations where account = ${account} and id in (${gone.join()})`)
  await run(`update task_watches set checked_to = checked_to - 180000 where account = ${account}`)
  await run(`update tasks set next_at = next_at - ${(dayMin + 1) * 60_000} where account = ${account}
    and next_at is not null`)
  return { account, tasks }
}
