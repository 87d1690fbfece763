import type { DataOf, ToolQuery } from "../../requests/toolQuery.ts"

export type Tasks = DataOf<"get_tasks">
export type Task = Tasks["tasks"][number]
export type Spec = Task["spec"]
export type Notifications = DataOf<"get_notifications">

const minute = 60_000

/** The tool call that returns all stored tasks: at most 100 open tasks and at most 100 done tasks. */
export const tasksQuery: ToolQuery<Tasks> = {
  tool: "get_tasks",
  args: { top: 200 },
  freshMs: minute,
  run: (client, options) => client.tools.get_tasks({ top: 200 }, options)
}

/** The number of newest notifications among which the page looks for a task's notifications. */
export const maxNotifications = 100

export const notificationsQuery: ToolQuery<Notifications> = {
  tool: "get_notifications",
  args: { top: maxNotifications },
  freshMs: minute,
  run: (client, options) => client.tools.get_notifications({ top: maxNotifications }, options)
}

/**
 * Returns a task list with a new or changed task. A changed task keeps its position, and a new task becomes the first.
 */
export const withTask = (before: Tasks, task: Task): Tasks =>
  before.tasks.some(({ id }) => id === task.id)
    ? { ...before, tasks: before.tasks.map((one) => one.id === task.id ? task : one) }
    : { ...before, tasks: [task, ...before.tasks], total: before.total + 1 }

export const withoutTask = (before: Tasks, id: number): Tasks => {
  const tasks = before.tasks.filter((one) => one.id !== id)
  return { ...before, tasks, total: before.total - (before.tasks.length - tasks.length) }
}
