import { analyst, conversation } from "./analyst/page.ts"
import { journal } from "./journal/page.ts"
import { keys } from "./keys/page.ts"
import { coin, market } from "./market/page.ts"
import type { Page } from "./page.ts"
import { sessions } from "./sessions/page.ts"
import { signIn } from "./signIn/page.ts"
import { task, tasks } from "./tasks/page.ts"
import { tool } from "./tool/page.ts"
import { tools } from "./tools/page.ts"
import { usage } from "./usage/page.ts"

/** All pages of the console, in the order of the navigation. */
export const pages: ReadonlyArray<Page> = [
  market,
  coin,
  tools,
  tool,
  analyst,
  conversation,
  journal,
  tasks,
  task,
  keys,
  usage,
  sessions,
  signIn
]
