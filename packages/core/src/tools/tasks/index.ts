import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { createTask } from "./createTask.ts"
import { deleteTask } from "./deleteTask.ts"
import { getNotifications } from "./getNotifications.ts"
import { getTasks } from "./getTasks.ts"
import { markNotificationsRead } from "./markNotificationsRead.ts"
import { updateTask } from "./updateTask.ts"

export { createTask, deleteTask, getNotifications, getTasks, markNotificationsRead, updateTask }

export const tasksSpecifications = [
  getTasks,
  getNotifications,
  createTask,
  updateTask,
  deleteTask,
  markNotificationsRead
] as const

/** Functions that import the handlers of the task tools, by tool name. */
export default {
  get_tasks: () => import("./getTasks.handler.ts"),
  get_notifications: () => import("./getNotifications.handler.ts"),
  create_task: () => import("./createTask.handler.ts"),
  update_task: () => import("./updateTask.handler.ts"),
  delete_task: () => import("./deleteTask.handler.ts"),
  mark_notifications_read: () => import("./markNotificationsRead.handler.ts")
} satisfies HandlersFrom<typeof tasksSpecifications>
