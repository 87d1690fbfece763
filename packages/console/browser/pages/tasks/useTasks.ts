import { useToldBefore } from "../../asking/useToldBefore.ts"
import { useWrite, type Writing } from "../../asking/useWrite.ts"
import { type Task, tasksAsk, withoutTask, withTask } from "./asks.ts"
import type { ChangedTask, NewTask } from "./typedTask.ts"

/** The changed task, and notes about the instrument that an ambiguous name was resolved to. */
interface Made {
  readonly task: Task
  readonly notes: ReadonlyArray<string>
}

export const useMake = (done: (made: Made) => void): Writing<NewTask> => {
  const { change } = useToldBefore()
  return useWrite(
    "create_task",
    (client, args: NewTask, options) => client.tools.create_task(args, options),
    (made) => {
      change(tasksAsk, (before) => withTask(before, made.task))
      done(made)
    }
  )
}

export const useChange = (done: (made: Made) => void): Writing<ChangedTask> => {
  const { change } = useToldBefore()
  return useWrite(
    "update_task",
    (client, args: ChangedTask, options) => client.tools.update_task(args, options),
    (made) => {
      change(tasksAsk, (before) => withTask(before, made.task))
      done(made)
    }
  )
}

export const useDelete = (done: () => void): Writing<number> => {
  const { change } = useToldBefore()
  return useWrite(
    "delete_task",
    (client, id: number, options) => client.tools.delete_task({ id }, options),
    (_, id) => {
      change(tasksAsk, (before) => withoutTask(before, id))
      done()
    }
  )
}
