import DefaultTheme from "vitepress/theme-without-fonts"
import { h } from "vue"
import "./style.css"
import { Versions } from "./Versions.js"

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "nav-bar-content-after": () => h(Versions) })
}
