import { assert, layer } from "@effect/vitest"
import { type Task, TaskStore } from "@tapeline/core/personal"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Fiber } from "effect"
import { layerAgentServer } from "./agentServer.ts"
import { sendRequest, testAdminToken } from "./testServer.ts"

const model = new ScriptedModel(() => [textPart("half"), waitForever])

const sendAdmin = (method: string, path: string, body?: object) =>
  sendRequest(method, `/admin/v1${path}`, { key: testAdminToken, ...(body === undefined ? {} : { body }) })

const createTask = (account: number, key: number) =>
  Effect.flatMap(TaskStore, (store) =>
    store.write(account, "create", {
      _tag: "Create",
      title: "Every hour",
      trigger: { kind: "schedule", spec: { every_min: 60 } },
      prompt: null,
      maxRuns: null,
      lang: "en",
      key,
      conversation: null
    })).pipe(Effect.map((result): Task => {
      assert(result._tag === "Task")
      return result.task
    }))

layer(layerAgentServer(model.layer), { excludeTestServices: true })("answers and tasks of the admin API", (it) => {
  it.effect("lists the running answers of an account, and stops one with a reason for its user", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount()
      const asked = sendRequest("POST", "/v1/agent/messages", { key, body: { message: "why?" } })
      const answering = yield* Effect.forkChild(asked)
      const list = sendAdmin("GET", `/accounts/${account.id}/answers`)
      const listed = yield* Effect.repeat(list, { until: ({ body }) => body.answers.length > 0 })
      const [answer, ...rest] = listed.body.answers
      assert.deepStrictEqual(rest, [])
      assert.deepInclude(answer, {
        account: account.id,
        actor: `key ${record.id}`,
        state: "running",
        outcome: null,
        credits: 20,
        ended_at: null
      })
      assert.deepStrictEqual((yield* sendAdmin("GET", `/answers/${answer.id}`)).body, answer)
      const stopped = yield* sendAdmin("POST", `/answers/${answer.id}/stop`, { reason: "Maintenance." })
      assert.deepInclude(stopped.body, { id: answer.id, state: "ended", outcome: "failed" })
      const { body } = yield* Fiber.join(answering)
      assert.deepInclude(body, { outcome: "failed", credits_used: 0 })
      assert.strictEqual(body.error.code, "stopped_by_operator")
      assert.include(body.error.message, "Maintenance.")
      assert.deepStrictEqual((yield* list).body.answers, [])
      assert.deepStrictEqual((yield* sendAdmin("POST", `/answers/${answer.id}/stop`, {})).body, stopped.body)
      const { events } = (yield* sendAdmin("GET", `/events?account=${account.id}&type=answer.stopped`)).body
      assert.strictEqual(events.length, 1)
      assert.deepInclude(events[0], { target: `answer ${answer.id}`, after: { reason: "Maintenance." } })
    }))

  it.effect("lists the tasks of an account, and pauses one once", () =>
    Effect.gen(function*() {
      const { account, record } = yield* createKeyedAccount()
      const task = yield* createTask(account.id, record.id)
      const [listed, ...rest] = (yield* sendAdmin("GET", `/accounts/${account.id}/tasks`)).body.tasks
      assert.deepStrictEqual(rest, [])
      assert.deepInclude(listed, { id: task.id, title: "Every hour", status: "active", key_id: record.id })
      const path = `/accounts/${account.id}/tasks/${task.id}/pause`
      assert.strictEqual((yield* sendAdmin("POST", path, { reason: "Too many." })).body.status, "paused")
      assert.strictEqual((yield* sendAdmin("POST", path, {})).body.status, "paused")
      const { events } = (yield* sendAdmin("GET", `/events?account=${account.id}&type=task.paused`)).body
      assert.strictEqual(events.length, 1)
    }))

  it.effect("returns 404 for unknown accounts, answers and tasks, and for the task of another account", () =>
    Effect.gen(function*() {
      const { account, record } = yield* createKeyedAccount()
      const other = yield* createKeyedAccount()
      const { id } = yield* createTask(account.id, record.id)
      for (
        const [method, path] of [
          ["GET", "/accounts/999999/answers"],
          ["GET", "/accounts/999999/tasks"],
          ["GET", "/answers/999999"],
          ["POST", "/answers/999999/stop"],
          ["POST", `/accounts/${account.id}/tasks/999999/pause`],
          ["POST", `/accounts/${other.account.id}/tasks/${id}/pause`]
        ] as const
      ) assert.strictEqual((yield* sendAdmin(method, path, method === "POST" ? {} : undefined)).status, 404, path)
    }))
})
