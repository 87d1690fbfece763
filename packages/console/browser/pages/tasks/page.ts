import { AlarmClock } from "lucide-react"
import { definePage } from "../page.ts"

export const tasks = definePage({
  path: "/tasks",
  name: { en: "Tasks", ko: "작업", ru: "Задачи" },
  place: { group: "work", icon: AlarmClock },
  load: async () => (await import("./TasksPage.tsx")).TasksPage
})

export const task = definePage({
  path: "/tasks/:task",
  name: { en: "Task", ko: "작업", ru: "Задача" },
  load: async () => (await import("./TaskPage.tsx")).TaskPage
})
