import { build, installDependencies } from "./set-up.mjs"

installDependencies()
build()
