namespace stagecraft {
}
