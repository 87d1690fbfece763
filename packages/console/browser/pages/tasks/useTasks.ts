import { useCachedResults } from "../../requests/cachedResults.ts"
import { useWrite, type WriteAction } from "../../requests/useWrite.ts"
import { type Task, tasksQuery, withoutTask, withTask } from "./queries.ts"
import type { ChangedTaskArguments, NewTaskArguments } from "./taskDraft.ts"

/** The created or changed task. If the name of an instrument was ambiguous, `notes` reports the chosen instrument. */
interface TaskResult {
  readonly task: Task
  readonly notes: ReadonlyArray<string>
}

export const useCreateTask = (onDone: (result: TaskResult) => void): WriteAction<NewTaskArguments> => {
  const { update } = useCachedResults()
  return useWrite(
    "create_task",
    (client, args: NewTaskArguments, options) => client.tools.create_task(args, options),
    (result) => {
      update(tasksQuery, (before) => withTask(before, result.task))
      onDone(result)
    }
  )
}

export const useChangeTask = (onDone: (result: TaskResult) => void): WriteAction<ChangedTaskArguments> => {
  const { update } = useCachedResults()
  return useWrite(
    "update_task",
    (client, args: ChangedTaskArguments, options) => client.tools.update_task(args, options),
    (result) => {
      update(tasksQuery, (before) => withTask(before, result.task))
      onDone(result)
    }
  )
}

export const useDeleteTask = (onDone: () => void): WriteAction<number> => {
  const { update } = useCachedResults()
  return useWrite(
    "delete_task",
    (client, id: number, options) => client.tools.delete_task({ id }, options),
    (_, id) => {
      update(tasksQuery, (before) => withoutTask(before, id))
      onDone()
    }
  )
}
