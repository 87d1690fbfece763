import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { createTask } from "./createTask.ts"
import { deleteTask } from "./deleteTask.ts"
import { getNotifications } from "./getNotifications.ts"
import { getTasks } from "./getTasks.ts"
import { markNotificationsRead } from "./markNotificationsRead.ts"
import { updateTask } from "./updateTask.ts"

export { createTask, deleteTask, getNotifications, getTasks, markNotificationsRead, updateTask }

/** The specifications of this area, in the order of the catalogue. */
export const tasksSpecifications = [
  getTasks,
  getNotifications,
  createTask,
  updateTask,
  deleteTask,
  markNotificationsRead
] as const

/**
 * What answers them, by name. Modules that an engine loads when it is built: who reads the specifications gets no
 * handler. The default export, which `export *` passes over.
 */
export default {
  get_tasks: () => import("./getTasks.handler.ts"),
  get_notifications: () => import("./getNotifications.handler.ts"),
  create_task: () => import("./createTask.handler.ts"),
  update_task: () => import("./updateTask.handler.ts"),
  delete_task: () => import("./deleteTask.handler.ts"),
  mark_notifications_read: () => import("./markNotificationsRead.handler.ts")
} satisfies HandlersFrom<typeof tasksSpecifications>
