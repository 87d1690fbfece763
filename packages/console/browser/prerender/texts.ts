import { defineTexts } from "../i18n/texts.ts"

export const prerenderTexts = defineTexts({
  en: { noScript: "The console needs JavaScript. All its data is also available from the HTTP API." },
  ko: { noScript: "콘솔을 사용하려면 JavaScript를 켜야 합니다. 같은 데이터를 HTTP API로도 받을 수 있습니다." },
  ru: { noScript: "Для работы консоли нужен JavaScript. Все её данные также доступны через HTTP API." }
})
