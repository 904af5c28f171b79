#!/bin/sh
# Ends well where there is a Vulkan driver: the loader and a driver's JSON file.
for file in ${VK_DRIVER_FILES:-} ${VK_ICD_FILENAMES:-} /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json /usr/local/share/vulkan/icd.d/*.json; do
	if [ -e "$file" ]; then
		ldconfig -p 2>/dev/null | grep -q 'libvulkan\.so\.1' && exit 0
		ls /usr/lib*/libvulkan.so.1 /usr/lib/*/libvulkan.so.1 /usr/local/lib/libvulkan.so.1 >/dev/null 2>&1 && exit 0
	fi
done
exit 1
