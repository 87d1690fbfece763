import {
  AdminTaskBody,
  AdminTaskList,
  RunningAnswerBody,
  RunningAnswerList,
  servedAdministrationApi,
  StopWork,
  UnknownAddress
} from "@tapeline/api"
import { Administration, AdminStore, Analyst, formatCallId, type StoreUnavailable } from "@tapeline/core"
import type { Generation } from "@tapeline/core/agent"
import { type Task, TaskStore } from "@tapeline/core/personal"
import { Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { makeBodyReader } from "../body.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { makeAdminChanges } from "./adminChange.ts"
import { formatActor, iso, isoOrNull } from "./responseBodies.ts"

const maxAnswers = 100

const answerBody = (generation: Generation): typeof RunningAnswerBody.Type => ({
  id: generation.id,
  account: generation.account,
  conversation_id: generation.conversation,
  call_id: formatCallId(generation.reservation),
  actor: formatActor(generation.brief.principal.actor),
  state: generation.state === "running" ? "running" : "ended",
  outcome: generation.outcome,
  credits: generation.reservation.credits,
  started_at: iso(generation.startedAt),
  ended_at: isoOrNull(generation.endedAt)
})

const taskBody = (task: Task): typeof AdminTaskBody.Type => ({
  id: task.id,
  title: task.title,
  kind: task.kind,
  status: task.status,
  runs: task.runs,
  key_id: task.key,
  next_at: task.kind === "schedule" && task.status === "active" ? iso(task.nextAt) : null,
  last: task.last === null ? null : { due_at: iso(task.last.dueAt), outcome: task.last.outcome },
  created_at: iso(task.createdAt),
  updated_at: iso(task.updatedAt)
})

/**
 * Creates the operations on the answers and tasks of accounts. Without an analyst or a task store, the lists of answers
 * and tasks are empty.
 */
const makeAdminWork = Effect.gen(function*() {
  const [administration, store, tasks] = yield* Effect.all([Administration, AdminStore, Effect.service(TaskStore)])
  const analyst = yield* Effect.serviceOption(Analyst)

  const findAnswer = (id: number) =>
    Effect.flatMap(
      Option.isNone(analyst) ? Effect.succeed(null) : analyst.value.findAnswer(id),
      (answer) => answer === null ? Effect.fail(new UnknownAddress()) : Effect.succeed(answer)
    )

  return {
    listAnswers: Effect.fnUntraced(function*(account: number) {
      yield* administration.account(account)
      const answers = Option.isNone(analyst) ? [] : yield* analyst.value.listRunning(account, maxAnswers)
      return { answers: answers.map(answerBody) }
    }),
    findAnswer: (id: number) => Effect.map(findAnswer(id), answerBody),
    stopAnswer: Effect.fnUntraced(function*(id: number, reason: string | undefined) {
      const { account } = yield* findAnswer(id)
      const stopped = Option.isNone(analyst) ? null : yield* analyst.value.stopByOperator(id, reason)
      if (stopped !== null) {
        const after = { reason: reason ?? null }
        yield* store.record([{ type: "answer.stopped", account, target: `answer ${id}`, before: null, after }])
      }
      return answerBody(stopped ?? (yield* findAnswer(id)))
    }),
    listTasks: Effect.fnUntraced(function*(account: number) {
      yield* administration.account(account)
      const found = yield* Effect.catchTag(tasks.list(account, null), "NoTaskStore", () => Effect.succeed([]))
      return { tasks: found.map(taskBody) }
    }),
    pauseTask: Effect.fnUntraced(function*(account: number, id: number, reason: string | undefined) {
      const change = { _tag: "Pause", id, key: null, reason: reason ?? null } as const
      const before = yield* Effect.catchTag(tasks.find(account, id), "NoTaskStore", () => Effect.succeed(null))
      const result = yield* Effect.catch(
        tasks.write(account, crypto.randomUUID(), change),
        (error): Effect.Effect<never, UnknownAddress | StoreUnavailable> =>
          error._tag === "NoSuchTask" || error._tag === "NoTaskStore"
            ? Effect.fail(new UnknownAddress())
            : error._tag === "StoreUnavailable"
            ? Effect.fail(error)
            : Effect.die(error)
      )
      if (result._tag !== "Task") return yield* Effect.die(new Error("a pause returned no task"))
      if (before?.status !== result.task.status) {
        const after = { reason: reason ?? null }
        yield* store.record([{ type: "task.paused", account, target: `task ${id}`, before: null, after }])
      }
      return taskBody(result.task)
    })
  }
})

const readStopWork = makeBodyReader(StopWork)
const respondAnswer = makeJsonResponder(RunningAnswerBody)
const respondAnswers = makeJsonResponder(RunningAnswerList)
const respondTask = makeJsonResponder(AdminTaskBody)
const respondTasks = makeJsonResponder(AdminTaskList)

/** The handlers of the admin API for running answers and tasks. */
export const layerAdminWork = HttpApiBuilder.group(
  servedAdministrationApi,
  "adminWork",
  Effect.fnUntraced(function*(handlers) {
    const [work, changes] = yield* Effect.all([makeAdminWork, makeAdminChanges])
    return handlers
      .handleRaw(
        "answers",
        makeOperation(({ params }) => Effect.flatMap(work.listAnswers(params.id), (list) => respondAnswers(list)))
      )
      .handleRaw(
        "answer",
        makeOperation(({ params }) => Effect.flatMap(work.findAnswer(params.id), (answer) => respondAnswer(answer)))
      )
      .handleRaw(
        "stopAnswer",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readStopWork(request)
          const stopped = yield* changes.run({
            operation: "stopAnswer",
            request: { ...params, body },
            headers,
            change: work.stopAnswer(params.id, body.reason)
          })
          return yield* respondAnswer(stopped)
        }))
      )
      .handleRaw(
        "tasks",
        makeOperation(({ params }) => Effect.flatMap(work.listTasks(params.id), (list) => respondTasks(list)))
      )
      .handleRaw(
        "pauseTask",
        makeOperation(Effect.fnUntraced(function*({ headers, params, request }) {
          const body = yield* readStopWork(request)
          const paused = yield* changes.run({
            operation: "pauseTask",
            request: { ...params, body },
            headers,
            change: work.pauseTask(params.id, params.task, body.reason)
          })
          return yield* respondTask(paused)
        }))
      )
  })
)
