import type { TaskChange } from "@tapeline/core/personal"
import { type Answerer, ProcessGone } from "../answers/Answerer.ts"
import { nextQuestion, query } from "../answers/matrix.ts"
import { questionNamed } from "../answers/upstream.ts"

type Create = Extract<TaskChange, { readonly _tag: "Create" }>

/** A task of the account, and what it is to come to. */
export interface GivenTask {
  readonly id: number
  readonly conversation: number
  /** The name of what it asks; null of one that only reports. */
  readonly question: string | null
  readonly fires: boolean
  readonly isRehoused: boolean
}

/** An account whose tasks are due. */
export interface Given {
  readonly account: number
  readonly tasks: ReadonlyArray<GivenTask>
}

type Planned = Pick<Create, "awaited" | "prompt" | "title"> & Pick<GivenTask, "fires" | "isRehoused" | "question">

const dayMin = 1_440

const watch = (op: "gt" | "lt") =>
  ({ kind: "watch", spec: { metric: "price", market: "coin", symbol: "BTC", op, value: 100 } }) as const

/** One of each kind: what reports, what asks, by condition and by time, what must move, and what does not fire. */
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

/** Makes an account's tasks by `maker`; where it dies, the calls are made again elsewhere. */
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

/** A process that does not answer is taken for dead after so long, as a caller would. */
const silentMs = 2_000

/** What a process is asked; where it dies or stands still, another one is asked the same. */
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

/** An account whose tasks became due while nobody looked. */
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
