import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { TaskStore } from "../../personal/tasks/TaskStore.ts"
import { getTasks } from "./getTasks.ts"
import { toTaskRow } from "./rows.ts"

const maxPromptLength = 200

const shortenPrompt = (text: string | null): string | null =>
  text === null || text.length <= maxPromptLength ? text : `${text.slice(0, maxPromptLength).toWellFormed()}...`

export const handler = handlerOf(
  getTasks,
  Effect.map(Effect.service(TaskStore), (store) =>
    Effect.fnUntraced(function*({ status = null, top }, { principal }) {
      const tasks = yield* store.list(principal.account, status)
      const shownTasks = tasks.slice(0, top)
      const now = yield* Clock.currentTimeMillis
      const isCut = shownTasks.some(({ prompt }) => prompt !== null && prompt.length > maxPromptLength)
      return {
        tasks: shownTasks.map((task) => toTaskRow(task, now)).map((row) => ({
          ...row,
          prompt: shortenPrompt(row.prompt)
        })),
        total: tasks.length,
        notes: [
          ...(tasks.length > shownTasks.length
            ? [`${tasks.length - shownTasks.length} older tasks are not listed; pass a larger top.`]
            : []),
          ...(isCut ? [`Prompts longer than ${maxPromptLength} characters were cut and end in "...".`] : [])
        ]
      }
    }))
)
