import { AlarmClock } from "lucide-react"
import { page } from "../page.ts"

export const tasks = page({
  path: "/tasks",
  name: { en: "Tasks", ko: "작업", ru: "Задачи" },
  place: { group: "work", icon: AlarmClock },
  load: async () => (await import("./TasksPage.tsx")).TasksPage
})

/** One task: its condition or times, and its notifications. */
export const task = page({
  path: "/tasks/:task",
  name: { en: "Task", ko: "작업", ru: "Задача" },
  load: async () => (await import("./TaskPage.tsx")).TaskPage
})
