import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"
import { getTasks } from "./getTasks.ts"
import { taskRow } from "./rows.ts"

/** The maximum characters of a prompt in a list. */
const promptTold = 200

const shortened = (text: string | null): string | null =>
  text === null || text.length <= promptTold ? text : `${text.slice(0, promptTold).toWellFormed()}...`

export const handler = handlerOf(
  getTasks,
  Effect.map(Effect.service(TaskStore), (store) =>
    Effect.fnUntraced(function*({ status = null, top }, { principal }) {
      const all = yield* store.list(principal.account, status)
      const told = all.slice(0, top)
      const now = yield* Clock.currentTimeMillis
      const isCut = told.some(({ prompt }) => prompt !== null && prompt.length > promptTold)
      return {
        tasks: told.map((task) => taskRow(task, now)).map((row) => ({ ...row, prompt: shortened(row.prompt) })),
        total: all.length,
        notes: [
          ...(all.length > told.length
            ? [`${all.length - told.length} older tasks are not listed; ask with a larger top.`]
            : []),
          ...(isCut ? [`Prompts end in "..." where they were cut, after ${promptTold} characters.`] : [])
        ]
      }
    }))
)
