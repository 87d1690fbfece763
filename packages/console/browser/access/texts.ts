import { defineTexts } from "../i18n/texts.ts"

export const accessWords = defineTexts({
  en: {
    needed: "Sign in to view this page",
    neededDetail: "You are using a pasted API key, and no key can open account pages. Sign in with a link.",
    leave: "Forget the key and sign in",
    other: (name: string, id: number) => `This browser is now signed in as ${name}, account ${id}`,
    otherDetail: (name: string, id: number) =>
      `This page was opened for ${name}, account ${id}. Its requests since the change were not executed. Reload the ` +
      "page to continue with the current account.",
    againByProvider: (label: string) => `Sign in again with ${label}`,
    againReturn: "You then return to this page. Entries in this dialog are lost.",
    againByLink: "Request a new sign-in link and open it in this browser. Then repeat the action here."
  },
  ko: {
    needed: "로그인이 필요한 페이지입니다",
    neededDetail: "지금은 붙여 넣은 API 키로 사용 중입니다. 키로는 계정 페이지를 열 수 없으니 링크로 로그인해 주세요.",
    leave: "키를 지우고 로그인",
    other: (name, id) => `이 브라우저는 지금 ${name} 계정(${id})으로 로그인되어 있습니다`,
    otherDetail: (name, id) =>
      `이 페이지는 ${name} 계정(${id})으로 열렸습니다. 계정이 바뀐 뒤의 요청은 처리되지 않았습니다. 지금 로그인한 계정으로 계속하려면 페이지를 새로 고쳐 주세요.`,
    againByProvider: (label) => `${label} 계정으로 다시 로그인`,
    againReturn: "로그인하면 이 페이지로 돌아옵니다. 이 창에 입력한 내용은 사라집니다.",
    againByLink: "새 로그인 링크를 요청해 이 브라우저에서 연 다음, 여기에서 다시 시도해 주세요."
  },
  ru: {
    needed: "Войдите, чтобы открыть эту страницу",
    neededDetail:
      "Сейчас вы работаете по вставленному ключу API, а страницы аккаунта по ключу не открываются. Войдите по ссылке.",
    leave: "Забыть ключ и войти",
    other: (name, id) => `Теперь в этом браузере выполнен вход как ${name}, аккаунт ${id}`,
    otherDetail: (name, id) =>
      `Страница открыта для ${name}, аккаунт ${id}. Её запросы после смены аккаунта не выполнены. Обновите страницу, ` +
      "чтобы продолжить в текущем аккаунте.",
    againByProvider: (label) => `Войти снова через ${label}`,
    againReturn: "После входа вы вернётесь на эту страницу. Введённое в этом окне не сохранится.",
    againByLink: "Запросите новую ссылку для входа и откройте её в этом браузере, затем повторите действие здесь."
  }
})
