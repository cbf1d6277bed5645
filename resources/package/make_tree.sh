#!/usr/bin/env bash
# Makes a tree that runs from any folder of a machine that has a C library and no more: the program, the libraries, plugins
# and fonts that it uses, samples, help and completions. Usage: make_tree.sh BUILD ARCHIVE.tar.gz
set -euo pipefail
build=$1 archive=$2
name=$(basename "$archive" .tar.gz)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/$name
here=$(cd "$(dirname "$0")" && pwd)

cmake --install "$build" --prefix "$tree" --strip >/dev/null
libraries=$tree/lib plugins=$tree/lib/qt6/plugins
mkdir -p "$plugins"

# What draws, reads and prints. Graphics drivers are the machine's own, so what would load them stays away.
offered=$(qtpaths6 --query QT_INSTALL_PLUGINS)
for plugin in platforms/libq{xcb,offscreen,minimal,vnc,wayland-generic}.so wayland-shell-integration/libxdg-shell.so \
  imageformats/libq{svg,gif,ico,jpeg}.so iconengines/libqsvgicon.so printsupport/libcupsprintersupport.so \
  platforminputcontexts/lib{compose,ibus}platforminputcontextplugin.so; do
  [ -f "$offered/$plugin" ] || continue
  mkdir -p "$plugins/$(dirname "$plugin")"
  cp "$offered/$plugin" "$plugins/$plugin"
done

# The C library's parts belong to the machine, as do the libraries of its printers.
of_machine='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|mvec|nsl|anl|BrokenLocale|nss_.*)|libcups)\.so'
needed() {
  find "$tree/bin" "$plugins" -type f \( -name '*.so*' -o -name stagecraft \) ! -name 'libcups*' -exec ldd {} + |
    sed -n 's/^\t[^ ]* => \(\/[^ ]*\) (.*/\1/p' | sort -u
}
# So that what is taken, and under which licence, can be told.
licences=$tree/share/doc/stagecraft/licences
mkdir -p "$licences"
licence_of() {
  local file package
  for file in "$1" "$(realpath "$1")" "/usr$1"; do
    package=$(dpkg-query -S "$file" 2>/dev/null | head -1 | cut -d: -f1) || continue
    [ -n "$package" ] || continue
    cp "/usr/share/doc/$package/copyright" "$licences/$package"
    return
  done
}
while read -r library; do
  [[ $(basename "$library") =~ $of_machine ]] && continue
  cp -L "$library" "$libraries/"
  licence_of "$library"
done < <(needed)
find "$plugins" -name '*.so' | while read -r plugin; do licence_of "$offered/${plugin#"$plugins"/}"; done

fonts=$tree/share/stagecraft/fonts
mkdir -p "$fonts"
find /usr/share/fonts -name 'DejaVu*.ttf' -exec cp {} "$fonts/" \;
licence_of "$(find /usr/share/fonts -name DejaVuSans.ttf | head -1)"
cp "$here/fonts.conf" "$fonts/"
cp "$here/../../LICENSE" "$tree/share/doc/stagecraft/"
printf '[Paths]\nPrefix = ..\nPlugins = lib/qt6/plugins\n' > "$tree/bin/qt.conf"

find "$libraries" -name '*.so*' -type f -exec chmod 644 {} + -exec strip --strip-unneeded {} +
patchelf --set-rpath '$ORIGIN/../lib' "$tree/bin/stagecraft"
find "$libraries" -maxdepth 1 -type f -exec patchelf --set-rpath '$ORIGIN' {} \;
find "$plugins" -type f -exec patchelf --set-rpath '$ORIGIN/../../..' {} \;

# It knows nothing of where it was made, and works.
if grep -rlF -- "${here%/resources/package}" "$tree"; then echo 'these files know the folder that they were made in' >&2; exit 1; fi
(cd / && env -i PATH=/usr/bin:/bin HOME="$scratch" "$tree/bin/stagecraft" self-test --quiet)
mkdir -p "$(dirname "$archive")"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-$(date +%s)}" -C "$scratch" -cf - "$name" |
  gzip -9n > "$archive"
