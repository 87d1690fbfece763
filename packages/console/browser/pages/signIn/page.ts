import { definePage } from "../page.ts"
import { signInPath } from "./link.ts"

export const signIn = definePage({
  path: signInPath,
  name: { en: "Sign in", ko: "로그인", ru: "Вход" },
  open: true,
  load: async () => (await import("./SignInPage.tsx")).SignInPage
})
