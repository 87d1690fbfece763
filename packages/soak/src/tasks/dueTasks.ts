import type { TaskChange } from "@tapeline/core/personal"
import { nextQuestionName, query } from "../answers/failpoints.ts"
import { questionText } from "../answers/fakeUpstream.ts"
import { ProcessEnded, type WorkerProcess } from "../answers/WorkerProcess.ts"

type Create = Extract<TaskChange, { readonly _tag: "Create" }>

export interface DueTask {
  readonly id: number
  readonly conversation: number
  /** The name of the task's question, or null for a task that only reports. */
  readonly question: string | null
  readonly fires: boolean
  readonly isRehoused: boolean
}

export interface TaskAccount {
  readonly account: number
  readonly tasks: ReadonlyArray<DueTask>
}

type PlannedTask = Pick<Create, "trigger" | "prompt" | "title"> & Pick<DueTask, "fires" | "isRehoused" | "question">

const dayMinutes = 1_440

const priceWatch = (op: "gt" | "lt") =>
  ({ kind: "watch", spec: { metric: "price", market: "coin", symbol: "BTC", op, value: 100 } }) as const

const planTasks = (): ReadonlyArray<PlannedTask> => {
  const [moveQuestion, dailyQuestion, movedQuestion] = [nextQuestionName(), nextQuestionName(), nextQuestionName()]
  const defaults = { fires: true, isRehoused: false, prompt: null, question: null }
  const dailySchedule = { kind: "schedule", spec: { every_min: dayMinutes } } as const
  return [
    { ...defaults, title: "above", trigger: priceWatch("gt") },
    {
      ...defaults,
      title: "moved",
      trigger: { kind: "watch", spec: { metric: "gap", market: "coin", symbol: "BTC", value: 3 } },
      prompt: questionText(moveQuestion),
      question: moveQuestion
    },
    { ...defaults, title: questionText(dailyQuestion), trigger: dailySchedule, question: dailyQuestion },
    {
      ...defaults,
      title: questionText(movedQuestion),
      trigger: dailySchedule,
      question: movedQuestion,
      isRehoused: true
    },
    { ...defaults, title: "below", trigger: priceWatch("lt"), fires: false }
  ]
}

let calls = 0

export const nextCallId = (): string => `call ${++calls}`

/** Creates the tasks of an account through `creator`, or through `survivor` if `creator` dies. */
const createTasks = async (
  creator: WorkerProcess,
  survivor: WorkerProcess,
  account: number
): Promise<ReadonlyArray<DueTask>> => {
  const key = await survivor.call("issueKey", { account })
  const tasks: Array<DueTask> = []
  for (const { trigger, prompt, title, ...expectations } of planTasks()) {
    const change: Create = {
      _tag: "Create",
      title,
      trigger,
      prompt,
      maxRuns: null,
      lang: "en",
      key,
      conversation: null
    }
    const request = { account, callId: nextCallId(), change }
    const writeResult = await callWithFallback(creator, survivor, (worker) => worker.call("writeTask", request))
    if (writeResult._tag !== "Task") throw new Error("No task was created")
    tasks.push({ ...expectations, id: writeResult.task.id, conversation: writeResult.task.conversation })
  }
  return tasks
}

/** The time in ms without a response after which a process counts as dead. */
const silenceTimeoutMs = 2_000

/** Calls a process, and repeats the call in the fallback process if the first process dies or freezes. */
export const callWithFallback = async <A>(
  first: WorkerProcess,
  fallback: WorkerProcess,
  ask: (worker: WorkerProcess) => Promise<A>
): Promise<A> => {
  const silent = new Promise<null>((resolve) => setTimeout(resolve, silenceTimeoutMs, null).unref())
  const outcome = await Promise.race([
    ask(first).then((response) => ({ response }), (cause: unknown) => {
      if (cause instanceof ProcessEnded) return null
      throw cause
    }),
    silent
  ])
  return outcome === null ? await ask(fallback) : outcome.response
}

/** Creates an account with overdue tasks. */
export const createDueTasks = async (creator: WorkerProcess, survivor: WorkerProcess): Promise<TaskAccount> => {
  const account = await survivor.call("createAccount", null)
  const tasks = await createTasks(creator, survivor, account)
  const runQuery = query(survivor)
  const deletedConversations = tasks.filter(({ isRehoused }) => isRehoused).map(({ conversation }) => conversation)
  await runQuery(`delete from conversations where account = ${account} and id in (${deletedConversations.join()})`)
  await runQuery(`update task_watches set checked_to = checked_to - 180000 where account = ${account}`)
  await runQuery(`update tasks set next_at = next_at - ${(dayMinutes + 1) * 60_000} where account = ${account}
    and next_at is not null`)
  return { account, tasks }
}
